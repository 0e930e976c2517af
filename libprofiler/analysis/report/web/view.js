'use strict';
// The chart as a map: nearer with the wheel (and Ctrl), +, - and the buttons; moved by dragging and the
// arrow keys. And its roofs, each of which can be hidden.
(function () {
  const page = window.roofmarkPage, chart = document.querySelector('.chart svg');
  if (!page || !chart) return;
  const all = {x: 0, y: 0, width: chart.viewBox.baseVal.width, height: chart.viewBox.baseVal.height};
  const nearest = 8;
  let view = Object.assign({}, all);

  // Within the drawing, and its middle within the plot: beside that there is nothing to look at closely.
  function within(from, length, drawing, low, high) {
    return Math.min(drawing - length, Math.max(0, Math.min(high - length / 2, Math.max(low - length / 2, from))));
  }
  function use(next) {
    const width = Math.min(all.width, Math.max(all.width / nearest, next.width)), height = width * all.height / all.width;
    const plot = page.data.plot;
    view = {x: within(next.x, width, all.width, plot.left, plot.right), y: within(next.y, height, all.height, plot.top, plot.bottom),
            width: width, height: height};
    chart.setAttribute('viewBox', [view.x, view.y, view.width, view.height].join(' '));
    page.state.view = view.width === all.width ? null : [view.x, view.y, view.width].map(function (v) { return Math.round(v); });
    chart.classList.toggle('near', page.state.view !== null);
    page.viewed(page.state.view === null ? null : view, all);
    page.repaint();
    page.changed();
  }
  function nearer(factor, x, y) {
    const at = {x: x === undefined ? view.x + view.width / 2 : x, y: y === undefined ? view.y + view.height / 2 : y};
    const width = Math.min(all.width, Math.max(all.width / nearest, view.width / factor)), part = width / view.width;
    use({x: at.x - (at.x - view.x) * part, y: at.y - (at.y - view.y) * part, width: width});
  }
  function move(dx, dy) { use({x: view.x + dx * view.width, y: view.y + dy * view.height, width: view.width}); }
  function spot(event) {
    const box = chart.getBoundingClientRect();
    return {x: view.x + (event.clientX - box.left) / box.width * view.width, y: view.y + (event.clientY - box.top) / box.height * view.height};
  }

  chart.setAttribute('tabindex', '0');
  chart.addEventListener('wheel', function (event) {
    if (!event.ctrlKey && !event.metaKey) return;  // without them the page scrolls
    event.preventDefault();
    const at = spot(event);
    nearer(event.deltaY < 0 ? 1.25 : 0.8, at.x, at.y);
  }, {passive: false});
  chart.addEventListener('keydown', function (event) {
    const keys = {'+': function () { nearer(1.25); }, '=': function () { nearer(1.25); }, '-': function () { nearer(0.8); },
                  '0': function () { use(all); }, ArrowLeft: function () { move(-0.1, 0); }, ArrowRight: function () { move(0.1, 0); },
                  ArrowUp: function () { move(0, -0.1); }, ArrowDown: function () { move(0, 0.1); }};
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  let drag = null;
  chart.addEventListener('pointerdown', function (event) {
    if (event.button === 0 && page.state.view) drag = {at: spot(event), moved: false};
  });
  addEventListener('pointermove', function (event) {
    if (!drag) return;
    const at = spot(event);
    if (Math.hypot(at.x - drag.at.x, at.y - drag.at.y) > 2) drag.moved = true;
    if (drag.moved) use({x: view.x + drag.at.x - at.x, y: view.y + drag.at.y - at.y, width: view.width});
  });
  addEventListener('pointerup', function () { drag = null; });
  for (const [id, act] of [['nearer', function () { nearer(1.25); }], ['farther', function () { nearer(0.8); }], ['whole', function () { use(all); }]]) {
    const button = document.getElementById(id);
    if (button) button.addEventListener('click', act);
  }

  // ---- roofs --------------------------------------------------------------------------------------
  const box = document.getElementById('roofs');
  const roofs = new Map();
  for (const node of chart.querySelectorAll('[data-roof]')) {
    const name = node.dataset.roof;
    if (!roofs.has(name)) roofs.set(name, []);
    roofs.get(name).push(node);
  }
  function drawRoofs() {
    for (const [name, nodes] of roofs)
      for (const node of nodes) node.style.display = page.state.hidden.has(name) ? 'none' : '';
  }
  for (const name of roofs.keys()) {
    const label = document.createElement('label'), tick = document.createElement('input');
    tick.type = 'checkbox';
    tick.checked = true;
    tick.dataset.roof = name;
    tick.addEventListener('change', function () {
      if (tick.checked) page.state.hidden.delete(name); else page.state.hidden.add(name);
      drawRoofs();
      page.changed();
    });
    label.append(tick, ' ' + name);
    box.append(label);
  }
  box.closest('details').hidden = roofs.size === 0;

  page.atRestore.push(function () {
    if (page.state.view) use({x: page.state.view[0], y: page.state.view[1], width: page.state.view[2]});
    for (const tick of box.querySelectorAll('input')) tick.checked = !page.state.hidden.has(tick.dataset.roof);
    drawRoofs();
  });
})();
