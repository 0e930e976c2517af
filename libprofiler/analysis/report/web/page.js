'use strict';
// The static page is complete without this script; here it becomes explorable. All text from the
// profile is put in as text nodes, never as markup.
(function () {
  const data = JSON.parse(document.getElementById('roofmark-data').textContent);
  const root = document.documentElement;
  const chart = document.querySelector('.chart svg');
  const SVG = 'http://www.w3.org/2000/svg';
  const state = {level: data.level, self: data.self, filter: '', sort: null, down: true, rows: 200, open: new Set(),
                 view: null, hidden: new Set(), icicle: null, cloud: null};
  root.classList.add('js');

  const {significant, prefixed, duration, percent, percentText, whole, isUnsureZero, carried, interval, withinShare} = window.roofmarkNumbers;

  // ---- figures: [value, low, high, source] or null -----------------------------------------------
  function ratio(a, b) {
    if (!a || !b || !(b[0] !== 0) || !Number.isFinite(a[0] / b[0])) return null;
    const low = a[1] == null && b[2] == null ? null : (a[1] == null ? a[0] : a[1]) / (b[2] == null ? b[0] : b[2]);
    const high = a[2] == null && b[1] == null ? null : (a[2] == null ? a[0] : a[2]) / (b[1] == null ? b[0] : b[1]);
    return [a[0] / b[0], low, high];
  }
  function work(region) { return state.self && region.self ? region.self : region.work; }
  function roofline(region) { return state.self && region.selfRoofline ? region.selfRoofline : region.roofline; }
  function rates(region) {
    const w = work(region);
    const judged = roofline(region) && roofline(region).precision;
    return Object.keys(w.flop).map(function (precision) { return {precision: precision, flop: w.flop[precision]}; })
        .sort(function (a, b) {
          if (a.precision === judged || b.precision === judged) return (b.precision === judged) - (a.precision === judged);
          return b.flop[0] - a.flop[0];
        });
  }
  // Off by so much of itself: ceilings, counts and time.
  // Of the roof that the verdict is about.
  function fractionOf(line) { return withinShare(line.beside ? line.beside.share : line.fraction, line.spread); }
  function roofOf(line) { return line.beside ? line.beside.of : ''; }
  // What is above its roof never rounds to a hundred.
  function roofPercent(line, text) {
    return function (value, digits) {
      const told = text(value, digits);
      return line.verdict === 'above_roof' && /^100 ?%$/.test(told) ? '>' + told : told;
    };
  }
  function shareOf(time) {
    return time && data.total ? [time[0], time[1], time[2]].map(function (t) { return t == null ? t : t / data.total; }) : null;
  }
  function figures(region) {
    const w = work(region), rate = rates(region)[0], bytes = w.bytes[state.level];
    const flop = rate ? rate.flop : null, line = roofline(region);
    return {
      time: w.time,
      share: shareOf(w.time),
      rate: ratio(flop, w.time),
      intensity: ratio(flop, bytes),
      fraction: line && line.fraction != null ? [fractionOf(line)] : null,
      precision: rate ? rate.precision : '',
      flopSource: flop ? data.sources[flop[3]] : '',
      bytesSource: bytes ? data.sources[bytes[3]] : ''
    };
  }
  function covers(listed, quantity) { return quantity === listed || quantity.startsWith(listed + '.'); }
  function reason(region, quantity) {
    for (const index of region.missing) {
      const entry = data.missing[index];
      if (covers(entry.quantity, quantity) || covers(quantity, entry.quantity))
        return entry.quantity + ': ' + entry.reason + (entry.fix ? '. To change it: ' + entry.fix : '');
    }
    return quantity + ': not in this recording';
  }
  function why(region, f, column) {
    if (column === 'time' || column === 'share') return reason(region, 'time.wall');
    if (!f.time) return reason(region, 'time.wall');
    if (!f.precision) return reason(region, 'flop');
    if (column === 'rate') return 'the time was too short for the clock';
    if (column === 'fraction' && data.noMachine) return data.noRoof;
    if (!f.bytesSource) return reason(region, 'bytes.' + state.level);
    if (column === 'intensity' || !f.intensity) return 'no byte ' + (isUnsureZero(work(region).bytes[state.level] || [1]) ? 'of the sample ' : '') + 'crossed ' + state.level;
    const line = roofline(region);
    return line && line.detail ? line.detail : data.noRoof;
  }

  // ---- elements ---------------------------------------------------------------------------------
  function element(tag, attributes, children) {
    const node = document.createElement(tag);
    for (const name in attributes || {}) node.setAttribute(name, attributes[name]);
    for (const child of children || []) node.append(child);
    return node;
  }
  // `commands` of a sentence as code.
  function prose(text) {
    const parts = text.split('`');
    if (parts.length % 2 === 0) return [text];
    return parts.map(function (part, i) { return i % 2 ? element('code', {}, [part]) : part; });
  }
  function shape(tag, attributes) {
    const node = document.createElementNS(SVG, tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    return node;
  }
  const tip = element('div', {class: 'tip', role: 'status', hidden: ''});
  document.body.append(tip);
  function showTip(text, event) {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6)) + 'px';
    tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 6)) + 'px';
  }
  function hideTip() { tip.hidden = true; }

  // ---- the chart --------------------------------------------------------------------------------
  const plot = data.plot;
  function place(value, range, from, to) {
    return from + (Math.log10(value) - Math.log10(range[0])) / (Math.log10(range[1]) - Math.log10(range[0])) * (to - from);
  }
  // Of the ridge of the level that is shown; of another precision than the judged one it is not known.
  function sideOf(point) {
    const line = roofline(point.region);
    const judged = line && (!line.precision || line.precision === point.precision || point.precision === 'any');
    return judged && line.sides[state.level] || 'unknown';
  }
  // A bar ends at the frame, however far its range reaches.
  function within(value, from, to) { return Math.min(Math.max(value, Math.min(from, to)), Math.max(from, to)); }
  function barX(value) { return within(placeX(value), plot.left, plot.right); }
  function barY(value) { return within(placeY(value), plot.top, plot.bottom); }
  function placeX(value) { return place(value, plot.x, plot.left, plot.right); }
  function placeY(value) { return place(value, plot.y, plot.bottom, plot.top); }
  let outside = 0;
  function points() {
    const list = [];
    outside = 0;
    data.regions.forEach(function (region, index) {
      if (region.elsewhere) return;
      const w = work(region), all = rates(region);
      const total = all.reduce(function (sum, rate) { return sum + rate.flop[0]; }, 0);
      all.forEach(function (rate, order) {
        if (order > 0 && rate.flop[0] < 0.1 * total) return;
        const x = ratio(rate.flop, w.bytes[state.level]), y = ratio(rate.flop, w.time);
        if (!x || !y || !(x[0] > 0) || !(y[0] > 0)) return;
        const px = placeX(x[0]), py = placeY(y[0]);
        if (px < plot.left - 1 || px > plot.right + 1 || py < plot.top - 1 || py > plot.bottom + 1) { outside += 1; return; }
        const share = w.time && data.total ? Math.min(1, Math.max(0, w.time[0] / data.total)) : 0;
        list.push({index: index, region: region, x: x, y: y, px: px, py: py, share: share, precision: rate.precision,
                   flop: rate.flop, bytes: w.bytes[state.level], radius: 4 + 14 * Math.sqrt(share)});
      });
    });
    list.sort(function (a, b) { return b.share - a.share; });
    return list;
  }
  // Visits hold the children's time too: without these their scatter is another's.
  function scatter(point) { return state.self && point.region.self ? null : point.region.scatter; }
  // Then the bar of single visits is as if each had done the same work.
  function visitsDiffer(point) { return scatter(point) && point.region.flags.includes('visits_differ'); }
  function barOf(point) {
    const y = point.y, s = scatter(point);
    if (!s) return y;
    return [y[0], Math.min(y[1] == null ? y[0] : y[1], y[0] * s[0]), Math.max(y[2] == null ? y[0] : y[2], y[0] * s[1])];
  }
  function markOf(side, x, y, r) {
    if (side === 'memory') return shape('circle', {cx: x, cy: y, r: r});
    if (side === 'compute') { const h = r * 0.886; return shape('rect', {x: x - h, y: y - h, width: 2 * h, height: 2 * h}); }
    if (side === 'balanced') { const d = r * 1.253; return shape('path', {d: 'M' + (x - d) + ' ' + y + 'l' + d + ' ' + -d + ' ' + d + ' ' + d + ' ' + -d + ' ' + d + 'z'}); }
    const t = r * 1.347;
    return shape('path', {d: 'M' + (x - t) + ' ' + (y + t * 0.577) + 'h' + 2 * t + 'l' + -t + ' ' + -t * 1.732 + 'z'});
  }
  function pointText(point) {
    const region = point.region, line = roofline(region);
    const lines = [region.path, interval(point.y, function (v, digits) { return prefixed(v, 'FLOP/s', digits); }) +
                   (point.precision === 'any' ? '' : ' ' + point.precision),
                   interval(point.x, significant) + ' FLOP/byte of ' + state.level,
                   carried(shareOf(work(region).time) || [0], percentText) + ' of the time' + (work(region).time ? ', ' + carried(work(region).time, duration) : '')];
    if (scatter(point))
      lines.push('single visits: ' + prefixed(point.y[0] * scatter(point)[0], 'FLOP/s', 2) + ' to ' + prefixed(point.y[0] * scatter(point)[1], 'FLOP/s', 2) +
          ' (one standard deviation' + (visitsDiffer(point) ? '; dashed: ' + data.flagWords.visits_differ + ': as if each did the same' : '') + ')');
    if (sideOf(point) !== 'unknown') lines.push((sideOf(point) === 'balanced' ? 'at' : sideOf(point) + ' side of') + ' the ridge of ' + state.level);
    if (line && line.fraction != null) lines.push(roofPercent(line, percentText)(fractionOf(line)) + ' of the roof' + (roofOf(line) ? ' ' + roofOf(line) : '') + ', ' + verdictText(line));
    lines.push('FLOPs ' + data.sources[point.flop[3]] + ', bytes ' + data.sources[point.bytes[3]]);
    return lines.join('\n');
  }
  function overlaps(a, b, scale) {
    return a.x < b.x + b.width + 3 * scale && b.x < a.x + a.width + 3 * scale && a.y < b.y + b.height + 2 * scale && b.y < a.y + a.height + 2 * scale;
  }
  // Places a name beside its point where it meets no other text. `scale`: a pixel in the chart's units.
  function placeName(point, text, taken, marks, box, scale) {
    const width = measure(text) * scale, height = 15 * scale, radius = point.radius * scale;
    let best = null, bestCost = Infinity;
    for (const distance of [5, 14, 26, 42, 62, 88, 120]) {
      for (let turn = 0; turn < 16; ++turn) {
        const ux = Math.cos(turn * Math.PI / 8), uy = Math.sin(turn * Math.PI / 8);
        const tx = point.px + ux * (radius + distance * scale), ty = point.py + uy * (radius + distance * scale);
        const spot = {x: tx + ux * width / 2 - width / 2, y: ty + uy * height / 2 - height / 2, width: width, height: height};
        if (spot.x < box.left + 2 * scale || spot.x + width > box.right - 2 * scale || spot.y < box.top + 2 * scale || spot.y + height > box.bottom - 2 * scale) continue;
        if (taken.some(function (other) { return overlaps(spot, other, scale); })) continue;
        let cost = distance + (ux < -0.1 ? 6 : 0) + Math.abs(uy) * 3;
        for (const mark of marks) if (overlaps(spot, mark, scale)) cost += 60;
        if (cost < bestCost) { bestCost = cost; best = {box: spot, tx: tx - ux * 2 * scale, ty: ty - uy * 2 * scale, ux: ux, uy: uy, leader: distance > 10}; }
      }
    }
    return best;
  }
  // Beside the heaviest points in a box of the chart: all of it, or what is in sight.
  function drawNames(box, scale, taken) {
    const names = chart.querySelector('.names'), most = 1000;
    const seen = drawn.filter(function (p) { return p.px >= box.left && p.px <= box.right && p.py >= box.top && p.py <= box.bottom; });
    const marks = seen.slice(0, most).map(function (p) {
      const r = p.radius * scale;
      return {x: p.px - r, y: p.py - r, width: 2 * r, height: 2 * r};
    });
    names.replaceChildren();
    seen.slice(0, data.labelled).forEach(function (point, order) {
      if (order >= 5 && point.share < 0.01) return;
      const several = drawn.some(function (p) { return p !== point && p.index === point.index; });
      const text = shortened(point.region.path + (several ? ' (' + point.precision + ')' : ''));
      const spot = placeName(point, text, taken, marks, box, scale);
      if (!spot) return;
      taken.push(spot.box);
      if (spot.leader)
        names.append(shape('path', {class: 'leader', 'stroke-width': 1, d: 'M' + (point.px + spot.ux * (point.radius + 1) * scale) + ' ' +
            (point.py + spot.uy * (point.radius + 1) * scale) + 'L' + spot.tx + ' ' + spot.ty}));
      const label = shape('text', {class: 'name', 'font-size': 12, x: spot.box.x + spot.box.width / 2, y: spot.box.y + 11.5 * scale});
      label.textContent = text;
      names.append(label);
    });
  }
  const ruler = document.createElement('canvas').getContext('2d');
  const widths = new Map();
  function measure(text) {
    if (!widths.has(text)) {
      ruler.font = '600 12px ' + getComputedStyle(chart).fontFamily;
      widths.set(text, ruler.measureText(text).width);
    }
    return widths.get(text);
  }
  function shortened(text) { return text.length <= 30 ? text : text.slice(0, 14) + '\u2026' + text.slice(-15); }
  // Boxes of the names along the roofs, turned ones cut into pieces so that the corners stay free.
  const fixedBoxes = (function () {
    const boxes = [];
    for (const text of chart.querySelectorAll('.halo > text')) {
      const box = text.getBBox(), matrix = text.getCTM(), inverse = chart.getCTM().inverse();
      for (let i = 0; i < 12; ++i) {
        const part = new DOMPoint(box.x + box.width * (i + 0.5) / 12, box.y + box.height / 2).matrixTransform(inverse.multiply(matrix));
        const half = Math.max(box.width / 24, box.height / 2);
        boxes.push({x: part.x - half, y: part.y - half, width: 2 * half, height: 2 * half});
      }
    }
    return boxes;
  })();
  let drawn = [];
  // Where the bars of a point end, within the frame.
  function barsOf(point) {
    const ends = function (figure, where) {
      return figure[1] == null && figure[2] == null ? null
          : [where(figure[1] == null ? figure[0] : figure[1]), where(figure[2] == null ? figure[0] : figure[2])];
    };
    return {x: ends(point.x, barX), y: ends(barOf(point), barY), dashed: visitsDiffer(point)};
  }
  function nodeOf(point) {
    const side = point.side, bars = point.bars;
    const group = shape('g', {class: 'point', 'data-region': point.index, tabindex: 0, role: 'button', 'aria-label': pointText(point).replaceAll('\n', ', ')});
    if (bars.x) group.append(shape('path', {class: 'bar ' + side, d: 'M' + bars.x[0] + ' ' + point.py + 'H' + bars.x[1]}));
    if (bars.y) {
      const bar = shape('path', {class: 'bar ' + side, d: 'M' + point.px + ' ' + bars.y[0] + 'V' + bars.y[1]});
      if (bars.dashed) bar.setAttribute('stroke-dasharray', '2 2');
      group.append(bar);
    }
    const mark = markOf(side, point.px, point.py, point.radius);
    mark.setAttribute('class', side);
    group.append(mark);
    group.classList.toggle('faded', point.faded);
    return point.node = group;
  }
  // More points than these are painted, all of them, on a canvas; the heaviest of them keep their nodes, which show
  // nothing then, for the keyboard.
  const mostNodes = 400, reachable = 200;
  const crowd = window.roofmarkCrowd(chart);
  function isCrowded() { return drawn.length > mostNodes; }
  function drawPoints(marks) {
    const part = document.createDocumentFragment();
    for (const point of isCrowded() ? drawn.slice(0, reachable) : drawn) part.append(nodeOf(point));
    marks.append(part);
    chart.dataset.drawn = drawn.length;
  }
  function drawChart() {
    const marks = chart.querySelector('.points');
    marks.replaceChildren();
    const all = points();
    drawn = all.slice(0, data.mostPoints);
    for (const point of drawn) {
      point.side = sideOf(point);
      point.bars = barsOf(point);
      point.faded = !matches(point.region);
    }
    drawPoints(marks);
    page.nameAgain();
    fade();
    if (data.levels.length) chart.querySelector('.x-title').textContent = 'Intensity at ' + state.level + ', FLOP/byte';
    const regions = data.regions.filter(function (r) { return !r.elsewhere; }).length, possible = new Set(all.map(function (p) { return p.index; })).size + outside;
    const sentences = [];
    if (outside)
      sentences.push(outside === 1 ? '1 point with little of the time lies outside the chart; the table has it.'
          : outside + ' points with little of the time lie outside the chart; the table has them.');
    if (drawn.length < all.length) sentences.push('The ' + drawn.length + ' points with the most time are drawn, of ' + all.length + '.');
    if (possible < regions)
      sentences.push(regions - possible + ' of ' + regions + ' regions have no place here: no FLOPs, no time or no ' + state.level +
          ' bytes; the table says why.');
    document.getElementById('drawn').textContent = sentences.join(' ');
  }
  function matches(region) { return !state.filter || region.path.toLowerCase().includes(state.filter); }
  function fade() {
    for (const point of drawn) {
      point.faded = !matches(point.region);
      if (point.node) point.node.classList.toggle('faded', point.faded);
    }
    crowd.show(isCrowded() ? drawn : []);
    if (window.roofmarkPage) window.roofmarkPage.afterDraw();
  }
  function pointOf(event) {
    const group = event.target.closest && event.target.closest('.point');
    if (group) return drawn.find(function (p) { return p.node === group; });
    if (!isCrowded() || !chart.getScreenCTM()) return null;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    return crowd.at(at.x, at.y);
  }
  chart.addEventListener('pointermove', function (event) {
    const point = pointOf(event);
    chart.style.cursor = point ? 'pointer' : '';
    if (!point) { if (!event.target.closest('.dot')) hideTip(); return; }
    showTip(pointText(point), event);
  });
  chart.addEventListener('pointerleave', hideTip);
  chart.addEventListener('click', function (event) {
    const point = pointOf(event);
    if (point) reveal(point.index);
  });

  chart.addEventListener('keydown', function (event) {
    const node = event.key === 'Enter' && event.target.closest('.point');
    const point = node && drawn.find(function (p) { return p.node === node; });
    if (point) { event.preventDefault(); reveal(point.index); }
  });

  // ---- the table --------------------------------------------------------------------------------
  const body = document.querySelector('#regions tbody');
  const columns = ['name', 'visits', 'time', 'share', 'rate', 'intensity', 'fraction', 'verdict'];
  function verdictText(line) { return line.verdict.replace('_', ' ') + (line.detail ? ' ' + line.detail : ''); }
  function verdictClass(line) {
    return 'verdict ' + (['memory', 'compute', 'balanced', 'at_roof', 'above_roof'].includes(line.verdict) ? 'v-' + line.verdict : 'v-soft');
  }
  function sortKey(region) {
    if (state.sort === 'name') return region.path;
    if (state.sort === 'visits') return region.visits;
    if (state.sort === 'verdict') return roofline(region) ? verdictText(roofline(region)) : '';
    const figure = figures(region)[state.sort];
    return figure ? figure[0] : null;
  }
  function ordered() {
    let list = data.regions.map(function (region, index) { return index; }).filter(function (i) { return matches(data.regions[i]); });
    if (!state.sort) return list;
    const keys = new Map(list.map(function (i) { return [i, sortKey(data.regions[i])]; }));
    const sign = state.down ? -1 : 1;
    return list.sort(function (a, b) {
      const x = keys.get(a), y = keys.get(b);
      if (x === null || y === null) return (x === null) - (y === null);  // absent numbers last, both ways
      return x < y ? -sign : x > y ? sign : a - b;
    });
  }
  function cell(region, f, column, text, source) {
    const figure = f[column];
    if (!figure) {
      const mark = element('span', {class: 'absent'}, ['-']);
      mark.title = why(region, f, column);
      return element('td', {}, [mark]);
    }
    const range = figure[1] != null || figure[2] != null;
    const node = element('td', {}, [carried(figure, text)]);
    if (range) node.title = interval(figure, text);
    if (source) node.append(element('span', {class: 'source'}, [source]));
    return node;
  }
  function row(index) {
    const region = data.regions[index], f = figures(region), line = roofline(region);
    const opener = element('button', {'aria-expanded': String(state.open.has(index)), 'aria-label': 'details'},
        [state.open.has(index) ? '\u25be' : '\u25b8']);
    const indent = state.sort || state.filter ? 0 : Math.min(region.depth, 12) * 16;
    const name = element('td', {class: 'name', style: 'padding-left:' + (10 + indent) + 'px'},
        [opener, (indent || (!state.sort && !state.filter && region.depth === 0) ? region.name : region.path) + (region.flags.length ? ' !' : '')]);
    name.title = region.path + (region.flags.length ? '\n' + region.flags.join(', ') : '');
    const verdict = line ? element('span', {class: verdictClass(line)}, [verdictText(line)]) : element('span', {class: 'absent'}, ['-']);
    return element('tr', {class: 'region', 'data-region': index}, [
      name,
      region.visits === null ? element('td', {}, []) : element('td', {title: String(region.visits)}, [whole(region.visits)]),
      cell(region, f, 'time', duration, work(region).time ? data.sources[work(region).time[3]] : ''),
      cell(region, f, 'share', percent),
      cell(region, f, 'rate', function (v, digits) { return significant(v / 1e9, digits); }, f.flopSource + (f.precision && f.precision !== 'f64' && f.precision !== 'any' ? ' ' + f.precision : '')),
      cell(region, f, 'intensity', significant, f.bytesSource),
      cell(region, f, 'fraction', line ? roofPercent(line, percent) : percent, line ? roofOf(line) : ''),
      element('td', {class: 'left'}, [verdict])
    ]);
  }
  function details(index) {
    const region = data.regions[index], line = roofline(region), w = work(region);
    const box = element('td', {colspan: String(columns.length)});
    box.append(element('p', {}, [region.path]));
    if (line && line.why) box.append(element('p', {}, prose(line.why)));
    for (const advice of (line ? line.advice : [])) box.append(element('p', {class: 'try'}, prose('Try: ' + advice)));
    for (const note of (line ? line.notes : [])) box.append(element('p', {class: 'soft'}, prose(note)));
    const list = element('dl');
    function fact(term, text) { if (text) list.append(element('dt', {}, [term]), element('dd', {}, [text])); }
    let group = -1;
    for (const [title, name, text, source] of (state.self && region.selfFacts) || region.facts) {
      if (title !== group) list.append(element('dt', {class: 'group'}, [data.words[title]]));
      group = title;
      const told = element('dd', {}, prose((source < 0 ? 'not known: ' : '') + data.words[text]));
      if (source < 0) told.classList.add('absent');
      else told.append(element('span', {class: 'source'}, [data.words[source]]));
      list.append(element('dt', {}, [data.words[name]]), told);
    }
    if (region.place || region.ranks || region.flags.length || region.missing.length || w.events) list.append(element('dt', {class: 'group'}, ['More']));
    for (const name in w.events || {}) fact(name, interval(w.events[name], function (v, digits) { return prefixed(v, '', digits); }) + ', ' + data.sources[w.events[name][3]]);
    fact('code', region.place || '');
    fact('ranks', region.ranks || '');
    for (const flag of region.flags) fact('flag', flag + (data.flagWords[flag] ? ': ' + data.flagWords[flag] : ''));
    for (const i of region.missing) {
      const entry = data.missing[i];
      fact('no ' + entry.quantity, entry.reason + (entry.fix ? '. To change it: ' + entry.fix : ''));
    }
    box.append(list);
    return element('tr', {class: 'more'}, [box]);
  }
  function drawTable() {
    const order = ordered(), part = document.createDocumentFragment();
    for (const index of order.slice(0, state.rows)) {
      part.append(row(index));
      if (state.open.has(index)) part.append(details(index));
    }
    body.replaceChildren(part);
    const more = document.getElementById('more');
    more.hidden = order.length <= state.rows;
    more.firstElementChild.textContent = 'Show ' + Math.min(1000, order.length - state.rows) + ' more of ' + order.length;
    for (const head of document.querySelectorAll('#regions th')) {
      if (head.dataset.column === state.sort) head.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    }
  }
  function toggle(index) {
    if (!state.open.delete(index)) state.open.add(index);
    page.chosen(index);
    drawTable();
    page.changed();
  }
  function reveal(index) {
    const at = ordered().indexOf(index);
    if (at >= state.rows) state.rows = at + 50;
    state.open.add(index);
    page.chosen(index);
    drawTable();
    const target = body.querySelector('tr[data-region="' + index + '"]');
    if (target) { target.classList.add('marked'); target.scrollIntoView({block: 'center'}); }
  }
  body.addEventListener('click', function (event) {
    const target = event.target.closest('tr.region');
    if (target && !String(getSelection())) toggle(Number(target.dataset.region));
  });
  // A point without a node has one for as long as it is marked.
  function mark(point, on) {
    if (!on && point.passing) { point.node.remove(); point.node = point.passing = null; }
    if (on && !point.node) { chart.querySelector('.points').append(nodeOf(point)); point.passing = true; }
    if (point.node) point.node.classList.toggle('marked', on);
  }
  function emphasise(event, on) {
    const target = event.target.closest && event.target.closest('tr.region');
    if (!target) return;
    for (const point of drawn)
      if (point.index === Number(target.dataset.region)) mark(point, on);
  }
  body.addEventListener('mouseover', function (event) { emphasise(event, true); });
  body.addEventListener('mouseout', function (event) { emphasise(event, false); });
  for (const head of document.querySelectorAll('#regions th')) {
    const choose = function () {
      const column = head.dataset.column;
      if (state.sort === column) {
        // Numbers fall first, names rise first; a third click restores the tree.
        if (state.down === (column !== 'name' && column !== 'verdict')) state.down = !state.down;
        else state.sort = null;
      } else { state.sort = column; state.down = column !== 'name' && column !== 'verdict'; }
      drawTable();
      page.changed();
    };
    head.classList.add('sortable');
    head.tabIndex = 0;
    head.addEventListener('click', choose);
    head.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(); }
    });
  }
  document.querySelector('#more button').addEventListener('click', function () { state.rows += 1000; drawTable(); });
  // On paper nobody can ask for more.
  let shownRows = null;
  addEventListener('beforeprint', function () {
    if (shownRows === null) shownRows = state.rows;
    state.rows = data.regions.length;
    drawTable();
  });
  addEventListener('afterprint', function () {
    if (shownRows === null) return;
    state.rows = shownRows;
    shownRows = null;
    drawTable();
  });

  // ---- the bar ----------------------------------------------------------------------------------
  function choices(id, names, labels, current, choose) {
    const set = document.getElementById(id);
    names.forEach(function (name, i) {
      const button = element('button', {type: 'button', 'aria-pressed': String(name === current), 'data-choice': name}, [labels[i]]);
      button.addEventListener('click', function () {
        for (const other of set.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button));
        choose(name);
      });
      set.append(button);
    });
  }
  function redraw() { drawChart(); drawTable(); if (window.roofmarkPage) window.roofmarkPage.changed(); }
  choices('level', data.levels, data.levels, state.level, function (level) { state.level = level; redraw(); });
  if (!data.levels.length) document.getElementById('level').remove();
  choices('scope', ['self', 'inclusive'], ['without children', 'with children'], state.self ? 'self' : 'inclusive',
          function (scope) { state.self = scope === 'self'; redraw(); });
  let pending = 0;
  document.getElementById('filter').addEventListener('input', function (event) {
    clearTimeout(pending);
    const text = event.target.value.toLowerCase();
    pending = setTimeout(function () { state.filter = text; drawTable(); fade(); page.changed(); }, 120);
  });
  function setTheme(theme) {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    for (const drawing of document.querySelectorAll('.rm-chart')) {
      drawing.classList.toggle('rm-dark', theme === 'dark');
      drawing.classList.toggle('rm-light', theme === 'light');
    }
  }
  document.getElementById('theme').addEventListener('click', function () {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(dark ? 'light' : 'dark');
    crowd.renew();
  });
  // What the other scripts of the page use.
  const page = window.roofmarkPage = {data: data, state: state, columns: columns, reveal: reveal, showTip: showTip, hideTip: hideTip,
      changed: function () {}, viewed: function () {}, chosen: function () {}, afterDraw: function () {}, repaint: crowd.again, drawNames: drawNames,
      nameAgain: function () { drawNames(plot, 1, fixedBoxes.slice()); }, atRestore: [], matches: matches, shape: shape,
      drawn: function () { return drawn; }, placeX: placeX, placeY: placeY, prefixed: prefixed, significant: significant,
      duration: duration, percentText: percentText, show: function () {
    document.getElementById('filter').value = state.filter;
    for (const [id, current] of [['level', state.level], ['scope', state.self ? 'self' : 'inclusive']])
      for (const button of document.querySelectorAll('#' + id + ' button'))
        button.setAttribute('aria-pressed', String(button.dataset.choice === current));
    redraw();
  }};
  redraw();
})();
