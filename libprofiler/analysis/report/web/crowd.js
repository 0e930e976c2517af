'use strict';
// Very many points on one canvas, behind the chart's lines. All are painted once, finely; while the chart is
// moved that picture is moved, which takes a millisecond however many they are, and what stands still or holds few
// points is painted anew. It knows places and marks, not regions: page.js makes those.
window.roofmarkCrowd = function (chart) {
  const sides = ['memory', 'compute', 'balanced', 'unknown'], border = 1.4, faint = 0.12;
  const finer = 2, mostPixels = 4096;  // the picture's width, of what is shown at first, and at most
  const few = 1500, restMs = 150;
  const paper = document.createElement('canvas'), picture = document.createElement('canvas');
  paper.className = 'crowd';
  paper.setAttribute('aria-hidden', 'true');
  // The grid is painted too: drawn above the canvas it would cross every mark.
  const grid = Array.from(chart.querySelectorAll('.grid path:not(.frame)')).map(function (path) {
    const [x, y, end] = path.getAttribute('d').match(/[\d.]+/g).map(Number), upright = path.getAttribute('d').includes('V');
    return {shade: path.classList.contains('fine') ? 'fine' : 'grid', x: x, y: y, toX: upright ? x : end, toY: upright ? end : y};
  });
  let points = [], drawing = 0, resting = 0, printed = false;
  const all = {x: 0, y: 0, width: chart.viewBox.baseVal.width, height: chart.viewBox.baseVal.height};

  // Those of the page as it is looked at, or of paper.
  function colours() {
    const classes = chart.getAttribute('class');
    if (printed) { chart.classList.remove('rm-dark'); chart.classList.add('rm-light'); }
    const style = getComputedStyle(chart), found = new Map(sides.concat('fine', 'grid').map(function (side) { return [side, style.getPropertyValue('--rm-' + side).trim()]; }));
    chart.setAttribute('class', classes);
    return found;
  }
  function outline(ink, side, x, y, r) {
    ink.beginPath();
    if (side === 'memory') { ink.arc(x, y, r, 0, 2 * Math.PI); return; }
    if (side === 'compute') { ink.rect(x - r * 0.886, y - r * 0.886, r * 1.772, r * 1.772); return; }
    const d = r * 1.253, t = r * 1.347;
    const corners = side === 'balanced' ? [[x - d, y], [x, y - d], [x + d, y], [x, y + d]]
                                        : [[x - t, y + t * 0.577], [x + t, y + t * 0.577], [x, y - t * 1.155]];
    for (const [cx, cy] of corners) ink.lineTo(cx, cy);
    ink.closePath();
  }
  function line(ink, x, y, toX, toY, thick, dashed) {
    const dash = dashed ? 1.4 * thick : Math.max(toX - x, toY - y), half = thick / 2;
    if (toX > x) for (let at = x; at < toX; at += 2 * dash) ink.fillRect(at, y - half, Math.min(dash, toX - at), thick);
    else for (let at = y; at < toY; at += 2 * dash) ink.fillRect(x - half, at, thick, Math.min(dash, toY - at));
  }
  // Ready to be painted on in the chart's own units.
  function cleared(canvas, width, height, view) {
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const ink = canvas.getContext('2d'), scale = width / view.width;
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    ink.globalAlpha = 1;
    return ink;
  }
  function paintGrid(ink, shades, near) {
    for (const each of grid) {
      ink.fillStyle = shades.get(each.shade);
      line(ink, each.x, each.y, each.toX, each.toY, near, false);
    }
  }
  // Bars first, so that no mark is crossed by another's; then the lightest last, so that a large mark does not hide a small one.
  function paintMarks(ink, shades, some, near) {
    ink.lineWidth = border * near;
    for (const point of some) {
      ink.fillStyle = shades.get(point.side);
      ink.globalAlpha = point.faded ? faint : 1;
      const x = point.bars.x, y = point.bars.y;
      if (x) line(ink, Math.min(x[0], x[1]), point.py, Math.max(x[0], x[1]), point.py, border * near, false);
      if (y) line(ink, point.px, Math.min(y[0], y[1]), point.px, Math.max(y[0], y[1]), border * near, point.bars.dashed);
    }
    for (const point of some) {
      outline(ink, point.side, point.px, point.py, point.radius * near);
      ink.fillStyle = ink.strokeStyle = shades.get(point.side);
      ink.globalAlpha = 0.72 * (point.faded ? faint : 1);
      ink.fill();
      ink.globalAlpha = point.faded ? faint : 1;
      ink.stroke();
    }
  }
  function inSight(view) {
    const right = view.x + view.width, bottom = view.y + view.height;
    return points.filter(function (point) {
      const r = 2 * point.radius, x = point.px, y = point.py, bars = point.bars;
      return x > view.x - r && x < right + r && y > view.y - r && y < bottom + r ||
             bars.x && y > view.y && y < bottom || bars.y && x > view.x && x < right;
    });
  }
  function isShown(box) { return points.length > 0 && box.width > 0; }
  function show(rested) {
    drawing = 0;
    const box = chart.getBoundingClientRect(), base = chart.viewBox.baseVal;
    paper.hidden = !isShown(box);
    if (paper.hidden) return;
    const fine = printed ? 3 : devicePixelRatio || 1, width = Math.round(box.width * fine), height = Math.round(box.height * fine);
    paper.style.width = box.width + 'px';
    paper.style.height = box.height + 'px';
    const view = {x: base.x, y: base.y, width: base.width, height: base.height}, some = inSight(view), shades = colours();
    const ink = cleared(paper, width, height, view), near = view.width / all.width;
    paintGrid(ink, shades, near);
    clearTimeout(resting);
    if (rested || some.length <= few) { paintMarks(ink, shades, some, near); return; }
    ink.drawImage(picture, all.x, all.y, all.width, all.height);
    // Scaled to another size its marks are blurred, and looked at closely too large: until it stands still.
    resting = setTimeout(show, restMs, true);
  }
  // After what changes marks or colours; `again`: after what changes the view.
  function renew() {
    const box = chart.getBoundingClientRect();
    if (!isShown(box)) { show(true); return; }
    const width = Math.min(mostPixels, Math.round(box.width * (devicePixelRatio || 1) * finer));
    paintMarks(cleared(picture, width, Math.round(width * all.height / all.width), all), colours(), points, 1);
    show(printed);
  }
  function again() { if (!drawing && points.length) drawing = requestAnimationFrame(function () { show(false); }); }

  new ResizeObserver(again).observe(chart);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', renew);
  addEventListener('beforeprint', function () { printed = true; show(true); });
  addEventListener('afterprint', function () { printed = false; again(); });
  return {
    // The heaviest first; each with its place (px, py), radius, side, bars ({x, y, dashed}) and whether it is faded.
    show: function (list) {
      points = list;
      chart.classList.toggle('crowded', points.length > 0);
      if (points.length && !paper.parentNode) chart.before(paper);
      renew();
    },
    renew: renew,
    again: again,
    // The one on top, or one that is missed by a little.
    at: function (x, y) {
      const near = 2, scale = chart.viewBox.baseVal.width / all.width;
      for (let i = points.length - 1; i >= 0; --i)
        if (Math.hypot(points[i].px - x, points[i].py - y) <= points[i].radius * scale + near * scale) return points[i];
      return null;
    }
  };
};
