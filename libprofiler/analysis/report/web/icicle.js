'use strict';
// Looking into the icicle: a click makes a region as wide as the page, one on what is around it goes
// back; the table shows the same region.
(function () {
  const page = window.roofmarkPage, drawing = document.querySelector('.rm-icicle');
  if (!page || !drawing) return;
  const width = drawing.viewBox.baseVal.width - 2;
  const slabs = Array.from(drawing.querySelectorAll('.slab')).map(function (node) {
    const index = Number(node.dataset.region);
    const title = node.querySelector('title'), words = title.textContent;
    title.remove();  // the page's own is quicker, and is there for the keyboard, too
    node.setAttribute('tabindex', '0');
    node.setAttribute('aria-label', words.replaceAll('\n', ', '));
    return {node: node, index: index, from: Number(node.dataset.from), to: Number(node.dataset.to), words: words,
            full: page.data.regions[index].name, letters: Array.from(page.data.regions[index].name),
            box: node.querySelector('rect'), text: node.querySelector('text')};
  });
  function show(from, to) {
    const scale = width / (to - from);
    for (const slab of slabs) {
      const left = Math.max(0, (slab.from - from) * scale), right = Math.min(width, (slab.to - from) * scale);
      const visible = right - left > 0.4;
      slab.node.style.display = visible ? '' : 'none';
      if (!visible) continue;
      slab.box.setAttribute('x', 1 + left);
      slab.box.setAttribute('width', Math.max(0.4, right - left - 1));
      slab.text.setAttribute('x', 5 + left);
      fit(slab, right - left - 8);
    }
  }
  function fit(slab, room) {
    for (let letters = Math.floor(room / 4); ; letters = Math.min(letters - 1, Math.floor(letters * 0.85))) {
      const all = slab.letters.length <= letters;
      slab.text.textContent = letters < 3 ? '' : all ? slab.full : slab.letters.slice(0, letters - 1).join('') + '\u2026';
      if (letters < 3 || slab.text.getComputedTextLength() <= room) return;
    }
  }
  let shown = null;
  function choose(slab) {
    shown = shown === slab ? null : slab;
    page.state.icicle = shown ? shown.index : null;
    show(shown ? shown.from : 0, shown ? shown.to : 1);
    page.changed();
  }
  for (const slab of slabs) {
    slab.node.addEventListener('click', function () { choose(slab); });
    slab.node.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(slab); }
      if (event.key === 't') page.reveal(slab.index);
    });
    slab.node.addEventListener('pointermove', function (event) { page.showTip(slab.words, event); });
    slab.node.addEventListener('pointerleave', page.hideTip);
    slab.node.addEventListener('dblclick', function () { page.reveal(slab.index); });
  }
  page.atRestore.push(function () {
    const slab = slabs.find(function (each) { return each.index === page.state.icicle; });
    if (slab) { shown = null; choose(slab); }
  });
})();
