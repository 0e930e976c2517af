'use strict';
// Single threads, or ranks of a job, as faint dots around their region's point: each at its own
// intensity and rate. One whose time or counts are not its own has no dot, and the line below the
// chart says how many those are, and why.
(function () {
  const page = window.roofmarkPage, chart = document.querySelector('.chart svg'), marks = chart && chart.querySelector('.points');
  const control = document.getElementById('cloud'), said = document.getElementById('cloud-said');
  if (!page || !marks || !control || !said) return;
  const data = page.data, state = page.state, box = control.closest('fieldset');
  const having = data.regions.map(function (region, i) { return i; }).filter(function (i) { return data.regions[i].shares; });
  box.hidden = !having.length;
  if (!having.length) return;
  // More dots than these show nothing any more, and would make the page slow.
  const mostDots = 2000, mostRegionsAtOnce = 1000;
  const kinds = new Set(having.map(function (i) { return data.regions[i].shares.of; }));
  box.querySelector('legend').textContent = kinds.size > 1 ? 'Threads and ranks' : kinds.has('ranks') ? 'Ranks' : 'Threads';
  const everything = control.querySelector('[value=all]');
  if (data.regions.length > mostRegionsAtOnce) {
    everything.disabled = true;
    everything.textContent += ' (up to ' + mostRegionsAtOnce + ' regions)';
  }
  const layer = page.shape('g', {class: 'cloud'});
  marks.before(layer);
  let chosen = null, dots = [];

  function one(of, count) { return count === 1 ? of.replace(/s$/, '') : of; }
  function partOf(share) { return state.self && share.self ? share.self : share.work; }
  function figuresOf(share, point) {
    const part = partOf(share), flop = part.flop[point.precision], bytes = part.bytes[state.level];
    if (!(flop > 0) || !(bytes > 0) || !(part.time > 0)) return null;
    return {x: flop / bytes, y: flop / part.time, time: part.time};
  }
  // What its share of the machine would let it reach: one core's, or one rank's part of the nodes.
  function roofOf(of, precision, x) {
    const roofs = data.shareRoofs[of], roof = roofs && roofs[precision];
    const bandwidth = roof && roof.levels[state.level];
    return bandwidth > 0 ? Math.min(roof.peak, bandwidth * x) : null;
  }
  function textOf(dot) {
    const shares = dot.point.region.shares, name = one(shares.of, 1), roof = roofOf(shares.of, dot.point.precision, dot.at.x);
    const lines = [dot.point.region.path, name + ' ' + dot.share.number + ': ' + page.prefixed(dot.at.y, 'FLOP/s') +
                   (dot.point.precision === 'any' ? '' : ' ' + dot.point.precision),
                   page.significant(dot.at.x) + ' FLOP/byte of ' + state.level + ', ' + page.duration(dot.at.time) + ' of its time'];
    const whose = shares.of === 'threads' ? 'one core\u2019s' : 'one rank\u2019s part of the job\u2019s';
    lines.push(roof ? page.percentText(dot.at.y / roof) + ' of its share of the roof at ' + state.level + ' (' + whose + ', ' + page.prefixed(roof, 'FLOP/s') + ')'
                    : 'its share of the roof (' + whose + ') is not known');
    lines.push('FLOPs ' + data.sources[dot.point.flop[3]] + ', bytes ' + data.sources[dot.point.bytes[3]]);
    if (shares.two) lines.push('time of the timed run, counts of the counted run\u2019s thread that was made at the same place');
    return lines.join('\n');
  }
  function tally(reasons, count, reason) { if (count) reasons.set(reason, (reasons.get(reason) || 0) + count); }
  function dotsOf(point, reasons, counts) {
    const shares = point.region.shares, plot = data.plot, list = [];
    counts.total += shares.total;
    for (const [count, reason, fix] of shares.left) tally(reasons, count, reason + (fix ? '. What helps: ' + fix : ''));
    for (const share of shares.each) {
      const at = figuresOf(share, point);
      if (!at) { tally(reasons, 1, 'no ' + point.precision + ' FLOPs, no time or no bytes of ' + state.level + ' of its own'); continue; }
      const px = page.placeX(at.x), py = page.placeY(at.y);
      if (px < plot.left || px > plot.right || py < plot.top || py > plot.bottom) { tally(reasons, 1, 'outside of the chart'); continue; }
      list.push({point: point, share: share, at: at, px: px, py: py});
    }
    return list;
  }
  function draw() {
    layer.replaceChildren();
    dots = [];
    control.value = state.cloud === null ? '' : state.cloud === 'all' ? 'all' : 'one';
    said.hidden = state.cloud === null;
    if (state.cloud === null) { said.textContent = ''; return; }
    const wanted = page.drawn().filter(function (point) {
      return point.region.shares && (state.cloud === 'all' ? page.matches(point.region) : point.index === state.cloud);
    });
    const reasons = new Map(), counts = {total: 0}, all = document.createDocumentFragment();
    let left = 0;
    for (const point of wanted) {
      const list = dotsOf(point, reasons, counts);
      if (dots.length + list.length > mostDots) { left += 1; tally(reasons, list.length, 'a chart of more than ' + mostDots + ' dots shows nothing'); continue; }
      for (const dot of list) {
        all.append(page.shape('path', {class: 'tether', d: 'M' + point.px + ' ' + point.py + 'L' + dot.px + ' ' + dot.py}));
      }
      dots = dots.concat(list);
    }
    for (const dot of dots) {
      dot.node = page.shape('circle', {class: 'dot', cx: dot.px, cy: dot.py, r: 3.5, role: 'img', 'data-region': dot.point.index,
          'data-number': dot.share.number, 'aria-label': textOf(dot).replaceAll('\n', ', ')});
      if (state.cloud !== 'all') dot.node.setAttribute('tabindex', '0');
      all.append(dot.node);
    }
    layer.append(all);
    say(wanted, reasons, counts);
  }
  function say(wanted, reasons, counts) {
    const region = state.cloud === 'all' ? null : data.regions[state.cloud];
    if (!wanted.length) {
      said.textContent = region ? region.path + (region.shares ? ': it has no point here, and so no dots.' : ': it has no counts of single threads or ranks.')
                                : 'No region that is shown has counts of single threads or ranks.';
      return;
    }
    const kind = wanted.every(function (p) { return p.region.shares.of === 'ranks'; }) ? 'ranks' :
        wanted.some(function (p) { return p.region.shares.of === 'ranks'; }) ? 'threads and ranks' : 'threads';
    const sentences = [(region ? region.path + ': ' : '') + dots.length + ' of ' + counts.total + ' ' + one(kind, counts.total) +
                       (counts.total === 1 ? ' has a dot' : ' have dots') + (region ? '.' : ', of ' + wanted.length + ' points.')];
    for (const [reason, count] of reasons) sentences.push(count + ' left out: ' + reason + '.');
    if (dots.length) sentences.push('The roof of ' + (kind === 'ranks' ? 'a rank is its part of the job\u2019s' : 'a thread is its share of the machine\u2019s, one core\u2019s') + ': a dot tells it.');
    said.textContent = sentences.join(' ');
  }
  function heaviest() {
    const point = page.drawn().find(function (p) { return p.region.shares; });
    return point ? point.index : having[0];
  }
  control.addEventListener('change', function () {
    state.cloud = control.value === '' ? null : control.value === 'all' ? 'all' : chosen === null ? heaviest() : chosen;
    draw();
    page.changed();
  });
  page.chosen = function (index) {
    chosen = index;
    if (typeof state.cloud !== 'number' || state.cloud === index) return;
    state.cloud = index;
    draw();
    page.changed();
  };
  function dotOf(event) {
    const node = event.target.closest && event.target.closest('.dot');
    return node && dots.find(function (dot) { return dot.node === node; });
  }
  layer.addEventListener('pointermove', function (event) {
    const dot = dotOf(event);
    if (dot) page.showTip(textOf(dot), event);
  });
  // With the keyboard, where there is no pointer.
  layer.addEventListener('focusin', function (event) {
    const dot = dotOf(event), place = event.target.getBoundingClientRect();
    if (dot) page.showTip(textOf(dot), {clientX: place.right, clientY: place.bottom});
  });
  layer.addEventListener('focusout', page.hideTip);
  page.mayShowAll = function () { return !everything.disabled; };
  page.afterDraw = draw;
  draw();
})();
