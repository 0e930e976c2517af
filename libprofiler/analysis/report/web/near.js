'use strict';
// Looked at closely, a chart is no enlarged picture: marks, lines and letters keep their size (page.css, by --rm-near),
// so that points which lay on one another come apart, and each roof's name follows the part of its line that is in sight.
(function () {
  const page = window.roofmarkPage, chart = document.querySelector('.chart svg');
  if (!page || !chart) return;
  const plot = page.data.plot, ruler = document.createElement('canvas').getContext('2d');
  const roofs = Array.from(chart.querySelectorAll('.halo > text[data-roof]')).map(function (name) {
    const line = Array.from(chart.querySelectorAll('.ceilings [data-roof]')).find(function (path) { return path.dataset.roof === name.dataset.roof; });
    if (!line) return null;  // it stays where it is
    const [x, y, toX, toY] = line.getAttribute('d').match(/[\d.]+/g).map(Number);
    const size = Number(name.getAttribute('font-size'));
    ruler.font = size + 'px ' + getComputedStyle(chart).fontFamily;
    return {name: name, size: size, from: {x: x, y: y}, to: {x: toX, y: toY}, width: ruler.measureText(name.textContent).width,
            still: ['x', 'y', 'transform'].map(function (key) { return [key, name.getAttribute(key)]; })};
  }).filter(Boolean);
  const ridges = Array.from(chart.querySelectorAll('.halo > text:not([data-roof])'));
  function meet(a, b) { return Math.abs(a.x - b.x) < a.half + b.half && Math.abs(a.y - b.y) < a.half + b.half; }
  // A turned name as small squares along it.
  function squares(x, y, ux, uy, width, height) {
    const count = Math.max(1, Math.ceil(width / height));
    return Array.from({length: count}, function (_, i) {
      const along = ((i + 0.5) / count - 0.5) * width;
      return {x: x + ux * along, y: y + uy * along, half: height / 2};
    });
  }
  // The part of a line that is in sight, or nothing.
  function inSight(roof, box) {
    let from = 0, to = 1;
    const dx = roof.to.x - roof.from.x, dy = roof.to.y - roof.from.y;
    for (const [at, d, low, high] of [[roof.from.x, dx, box.left, box.right], [roof.from.y, dy, box.top, box.bottom]]) {
      if (Math.abs(d) < 1e-9) { if (at < low || at > high) return null; continue; }
      const a = (low - at) / d, b = (high - at) / d;
      from = Math.max(from, Math.min(a, b));
      to = Math.min(to, Math.max(a, b));
    }
    return from < to ? [from, to] : null;
  }
  function place(roof, box, scale, taken) {
    const part = inSight(roof, box), dx = roof.to.x - roof.from.x, dy = roof.to.y - roof.from.y, length = Math.hypot(dx, dy);
    const width = roof.width * scale, height = 1.25 * roof.size * scale;
    if (!part || (part[1] - part[0]) * length < width + 8 * scale) return false;
    const ux = dx / length, uy = dy / length, room = (width / 2 + 4 * scale) / length;
    for (const share of [0.1, 0.9, 0.3, 0.7, 0.5, 0.2, 0.8]) {
      const at = part[0] + room + share * (part[1] - part[0] - 2 * room);
      const x = roof.from.x + at * dx + uy * 9 * scale, y = roof.from.y + at * dy - ux * 9 * scale;
      const boxes = squares(x, y, ux, uy, width, height);
      if (boxes.some(function (one) { return one.y - one.half < box.top || taken.some(function (other) { return meet(one, other); }); })) continue;
      taken.push.apply(taken, boxes);
      // The place of letters is their foot: a third of their height below the middle.
      const footX = x - uy * roof.size * scale * 0.36, footY = y + ux * roof.size * scale * 0.36;
      roof.name.setAttribute('x', footX);
      roof.name.setAttribute('y', footY);
      roof.name.setAttribute('transform', 'rotate(' + [Math.atan2(uy, ux) * 180 / Math.PI, footX, footY].join(' ') + ')');
      return true;
    }
    return false;
  }
  const axes = page.viewed;
  const whole = page.nameAgain;
  const few = 400, restMs = 120;
  let last = null, waiting = 0;
  page.viewed = function (view, all) {
    const wasNear = last;
    clearTimeout(waiting);
    last = view && [view, all];
    axes(view, all);
    const scale = view ? view.width / all.width : 1;
    chart.style.setProperty('--rm-near', scale);
    for (const text of ridges) text.style.visibility = view ? 'hidden' : '';
    for (const roof of roofs) {
      roof.name.style.visibility = '';
      if (!view) for (const [key, value] of roof.still) if (value === null) roof.name.removeAttribute(key); else roof.name.setAttribute(key, value);
    }
    if (!view && wasNear) whole();
    if (!view) return;
    const box = {left: Math.max(view.x + 86 * scale, plot.left), right: Math.min(view.x + view.width, plot.right),
                 top: Math.max(view.y, plot.top - 20), bottom: Math.min(view.y + view.height - 24 * scale, plot.bottom)};
    const taken = [];
    for (const roof of roofs)
      if (roof.name.style.display === 'none' || !place(roof, box, scale, taken)) roof.name.style.visibility = 'hidden';
    const draw = function () {
      page.drawNames(box, scale, taken.map(function (one) { return {x: one.x - one.half, y: one.y - one.half, width: 2 * one.half, height: 2 * one.half}; }));
    };
    // Of very many points when the chart stands still.
    if (page.drawn().length <= few) { draw(); return; }
    chart.querySelector('.names').replaceChildren();
    waiting = setTimeout(draw, restMs);
  };
  // After other points were drawn.
  page.nameAgain = function () { if (last) page.viewed.apply(page, last); else whole(); };
})();
