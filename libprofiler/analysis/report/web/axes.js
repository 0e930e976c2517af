'use strict';
// While the chart is looked at closely its axes stay in sight: beside the plot where its edge is seen, else
// along the edge of what is shown, with finer values the nearer it is.
(function () {
  const page = window.roofmarkPage, chart = document.querySelector('.chart svg');
  if (!page || !chart) return;
  const plot = page.data.plot, still = chart.querySelectorAll('.axis');
  const pinned = page.shape('g', {class: 'pinned', 'pointer-events': 'none'});
  chart.append(pinned);
  const digits = [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9],
                  Array.from({length: 36}, function (_, i) { return 1 + i / 4; }),
                  Array.from({length: 180}, function (_, i) { return 1 + i / 20; })];
  const enough = 4;

  // The coarsest round values of which enough lie between two pixels and `apart` from each other.
  function ticks(from, to, place, range, apart) {
    let best = [];
    for (const steps of digits) {
      const found = [];
      for (let decade = Math.floor(Math.log10(range[0])); decade <= Math.ceil(Math.log10(range[1])); ++decade)
        for (const step of steps) {
          const value = Number((step * Math.pow(10, decade)).toPrecision(6)), px = place(value), last = found[found.length - 1];
          if (px < Math.min(from, to) || px > Math.max(from, to)) continue;
          if (!last || Math.abs(px - last.px) >= apart) found.push({value: value, px: px});
        }
      if (found.length > best.length) best = found;
      if (best.length >= enough) break;
    }
    return best;
  }
  function write(words, x, y, size, anchor, value) {
    const text = page.shape('text', {class: 'soft', x: x, y: y, 'font-size': size, 'text-anchor': anchor});
    if (value !== undefined) text.setAttribute('data-value', value);
    text.textContent = words;
    pinned.append(text);
  }
  page.viewed = function (view, all) {
    pinned.replaceChildren();
    for (const node of still) node.style.display = view ? 'none' : '';
    if (!view) return;
    const scale = view.width / all.width, size = 12 * scale;
    const left = Math.max(view.x + 86 * scale, plot.left), right = Math.min(view.x + view.width, plot.right);
    const bottom = Math.min(view.y + view.height - 24 * scale, plot.bottom), top = Math.max(view.y, plot.top);
    const paper = function (x, y, width, height) { pinned.append(page.shape('rect', {class: 'paper', x: x, y: y, width: width, height: height})); };
    paper(left - 86 * scale, view.y, 86 * scale, view.height);
    paper(view.x, bottom, view.width, 24 * scale);
    pinned.append(page.shape('path', {class: 'frame', fill: 'none', 'stroke-width': scale, d: 'M' + left + ' ' + top + 'V' + bottom + 'H' + right}));
    const room = 90 * scale;
    for (const tick of ticks(left, right - room, page.placeX, plot.x, 48 * scale))
      write(page.significant(tick.value), tick.px, bottom + 16 * scale, size, 'middle', tick.value);
    write('FLOP/byte', right - 4 * scale, bottom + 16 * scale, size, 'end');
    for (const tick of ticks(bottom - size / 2, top + size, page.placeY, plot.y, 20 * scale))
      write(page.prefixed(tick.value, 'FLOP/s'), left - 6 * scale, tick.px + size / 3, size, 'end', tick.value);
  };
})();
