// Runs inside a report page, after its own script: uses it as a person would and says what went wrong.
(function () {
  'use strict';
  const failures = window.roofmarkErrors || [];
  function expect(condition, what) { if (!condition) failures.push(what); }
  const $ = function (selector) { return document.querySelector(selector); };
  const $$ = function (selector) { return Array.from(document.querySelectorAll(selector)); };
  function press(selector) {
    const node = $(selector);
    expect(node, 'no element ' + selector);
    if (node) node.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  }

  // Texts on the chart as turned rectangles with the real font, and whether two of them meet.
  function quad(text) {
    const box = text.getBBox(), matrix = text.getScreenCTM();
    return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height], [box.x, box.y + box.height]]
        .map(function (p) { const q = new DOMPoint(p[0], p[1]).matrixTransform(matrix); return [q.x, q.y]; });
  }
  function meet(a, b) {
    for (const shape of [a, b]) {
      for (let i = 0; i < 4; ++i) {
        const p = shape[i], q = shape[(i + 1) % 4], normal = [q[1] - p[1], p[0] - q[0]];
        const reach = function (points) {
          const values = points.map(function (r) { return r[0] * normal[0] + r[1] * normal[1]; });
          return [Math.min.apply(null, values), Math.max.apply(null, values)];
        };
        const first = reach(a), second = reach(b);
        if (first[1] <= second[0] || second[1] <= first[0]) return false;
      }
    }
    return true;
  }
  // However far a range reaches, its bar ends at the frame.
  function expectBarsInside(view) {
    const page = window.roofmarkPage, plot = page && page.data.plot;
    for (const bar of $$('.chart .point path.bar')) {
      const box = bar.getBBox();
      expect(box.x >= plot.left - 1 && box.x + box.width <= plot.right + 1 && box.y >= plot.top - 1 && box.y + box.height <= plot.bottom + 1,
             view + ': a bar leaves the frame: ' + bar.getAttribute('d'));
    }
  }
  function expectApart(view) {
    const texts = $$('.chart .halo text'), quads = texts.map(quad);
    for (let i = 0; i < quads.length; ++i)
      for (let j = 0; j < i; ++j)
        expect(!meet(quads[i], quads[j]), view + ': "' + texts[i].textContent + '" meets "' + texts[j].textContent + '"');
  }

  const data = JSON.parse($('#roofmark-data').textContent);
  const rows = function () { return $$('#regions tbody tr.region'); };
  expect($('.chart svg'), 'no chart');
  expect(rows().length === Math.min(200, data.regions.length), 'rows: ' + rows().length);
  expect(!window.pwned, 'a name ran as a script');
  expect($$('script').length === 12, 'scripts: ' + $$('script').length);  // the data, nine of ours, two of this test
  expect(!document.body.innerText.includes('undefined'), '"undefined" in the page');
  expect(!/\bNaN\b/.test(document.body.innerText), 'NaN in the page');

  for (const level of data.levels) {
    for (const scope of ['self', 'inclusive']) {
      press('#level [data-choice="' + level + '"]');
      press('#scope [data-choice="' + scope + '"]');
      expect($('.x-title').textContent.includes(level), 'the axis does not say ' + level);
      const points = $$('.chart .point');
      expect(points.length > 0, 'no points at ' + level);
      expect(points.every(function (p) { return p.querySelectorAll('[d*="NaN"],[cx="NaN"]').length === 0; }), 'NaN at ' + level);
      expectApart(level + ' ' + scope);
      expectBarsInside(level + ' ' + scope);
    }
  }
  if (data.levels.length) press('#level [data-choice="' + data.level + '"]');
  press('#scope [data-choice="self"]');

  press('#regions th[data-column="time"]');
  const times = rows().map(function (row) { return data.regions[row.dataset.region]; })
      .map(function (region) { return (region.self || region.work).time; }).filter(Boolean).map(function (t) { return t[0]; });
  expect(times.every(function (t, i) { return i === 0 || times[i - 1] >= t; }), 'not sorted by time');
  press('#regions th[data-column="time"]');
  press('#regions th[data-column="time"]');

  press('#regions tbody tr.region');
  expect($$('#regions tr.more').length === 1, 'no details after a click');
  press('#regions tbody tr.region');
  expect($$('#regions tr.more').length === 0, 'details stay open');

  if (data.levels.length) {
    $('.chart .point').dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 50, clientY: 50}));
    expect(!$('.tip').hidden && $('.tip').textContent.includes('FLOP/byte'), 'no tooltip');
  } else {
    expect($$('.chart .point').length === 0, 'a point without counts');
    expect($$('#regions .absent').length > 0 && $$('#regions .absent').every(function (n) { return n.title || n.closest('.left'); }), 'a dash without a reason');
  }

  // A bar of single visits whose passes differ is dashed, and its tip says why.
  for (const point of $$('.chart .point')) {
    const region = data.regions[point.dataset.region], differ = region.flags.includes('visits_differ');
    const bars = point.querySelectorAll('.bar[stroke-dasharray]').length, label = point.getAttribute('aria-label');
    const has = region.scatter && !region.self;
    expect(bars === (has && differ ? 1 : 0), 'dashed bars of ' + region.path + ': ' + bars);
    expect(label.includes('did not do the same work') === Boolean(has && differ), 'the tip of ' + region.path + ': ' + label);
  }

  // The theme reaches every drawing of the page, and none of it is printed.
  const papers = function () { return $$('.rm-chart .paper').map(function (node) { return getComputedStyle(node).fill; }); };
  const inks = function () { return $$('.rm-chart text').slice(0, 50).map(function (node) { return getComputedStyle(node).fill; }); };
  const before = {body: getComputedStyle(document.body).backgroundColor, papers: papers(), inks: inks()};
  press('#theme');
  const dark = getComputedStyle(document.body).backgroundColor;
  expect(dark !== before.body, 'the theme does not change');
  expect(papers().length >= 2 && papers().every(function (fill) { return fill === dark; }), 'drawings that are not of the theme: ' + papers());
  expect(inks().every(function (fill, i) { return fill !== before.inks[i]; }), 'texts that are not of the theme');
  press('#theme');
  expect(getComputedStyle(document.body).backgroundColor === before.body && String(papers()) === String(before.papers), 'the theme does not change back');
  for (const sheet of document.styleSheets)
    (function outside(rules) {
      for (const rule of rules) {
        if (rule.media) { if (!rule.media.mediaText.includes('screen')) outside(rule.cssRules); continue; }
        expect(!rule.selectorText || !/dark/.test(rule.selectorText), 'dark on paper: ' + rule.selectorText);
      }
    })(sheet.cssRules);

  // On paper every row is there, and after it what was.
  const some = rows().length;
  dispatchEvent(new Event('beforeprint'));
  expect(rows().length === data.regions.length, 'rows on paper: ' + rows().length);
  dispatchEvent(new Event('afterprint'));
  expect(rows().length === some, 'rows after printing: ' + rows().length);

  // Roofs: line, spread and name go together.
  const roofs = new Set($$('.chart [data-roof]').map(function (node) { return node.dataset.roof; }));
  expect($$('#roofs input').length === roofs.size, 'roofs to choose: ' + $$('#roofs input').length + ' of ' + roofs.size);
  if (roofs.size) {
    const tick = $('#roofs input'), parts = $$('.chart [data-roof]').filter(function (node) { return node.dataset.roof === tick.dataset.roof; });
    tick.click();
    expect(parts.length > 0 && parts.every(function (node) { return node.style.display === 'none'; }), 'a roof does not go');
    tick.click();
    expect(parts.every(function (node) { return node.style.display !== 'none'; }), 'a roof does not come back');
  }

  // Nearer, and back. However near, both axes say where one is, and say it rightly.
  const box = function () { return $('.chart svg').viewBox.baseVal; }, wide = box().width;
  const place = function (value, range, from, to) { return from + Math.log10(value / range[0]) / Math.log10(range[1] / range[0]) * (to - from); };
  // However near, marks and letters have the size that they have on the whole chart, names are apart, beside
  // what they name, and a roof that is in sight for long has its own.
  const seenIn = function (node, frame) {
    const it = node.getBoundingClientRect();
    return it.right > frame.left && it.left < frame.right && it.bottom > frame.top && it.top < frame.bottom;
  };
  const markOf = function () { return $('.chart .point > :not(.bar)'); };
  const wholeMark = markOf() && window.roofmarkPage.drawn().length <= 400 ? markOf().getBoundingClientRect().width : 0;
  function expectSizes(where) {
    const frame = $('.chart svg').getBoundingClientRect(), scale = box().width / wide;
    if (wholeMark) {
      const now = markOf().getBoundingClientRect().width;
      expect(Math.abs(now - wholeMark) < 2, where + ': a mark is ' + now + ' px wide, and was ' + wholeMark);
    }
    const names = $$('.chart .halo text').filter(function (text) { return text.style.visibility !== 'hidden' && seenIn(text, frame); });
    for (const text of names) {
      const size = parseFloat(getComputedStyle(text).fontSize) / scale;
      expect(size > 11 && size < 13, where + ': "' + text.textContent + '" has letters of ' + size);
    }
    const quads = names.map(quad);
    for (let i = 0; i < quads.length; ++i)
      for (let j = 0; j < i; ++j) expect(!meet(quads[i], quads[j]), where + ': "' + names[i].textContent + '" meets "' + names[j].textContent + '"');
    for (const name of $$('.chart .names text')) expect(seenIn(name, frame), where + ': "' + name.textContent + '" is not in sight');
    const plot = data.plot, view = box(), roofs = $$('.chart .ceilings [data-roof]').filter(function (line) {
      const points = Array.from({length: 41}, function (_, i) { return line.getPointAtLength(line.getTotalLength() * i / 40); });
      const seen = points.filter(function (p) { return p.x > Math.max(view.x + 86 * scale, plot.left) && p.x < view.x + view.width && p.y > view.y && p.y < view.y + view.height - 30 * scale; });
      return seen.length > 1 && Math.hypot(seen[0].x - seen[seen.length - 1].x, seen[0].y - seen[seen.length - 1].y) > 600 * scale;
    });
    const named = roofs.filter(function (line) { return names.some(function (name) { return name.dataset.roof === line.dataset.roof; }); });
    expect(!roofs.length || named.length > 0, where + ': none of ' + roofs.length + ' roofs is named');
  }
  function expectAxes(where) {
    const view = box(), plot = data.plot, scale = view.width / wide;
    const texts = $$('.pinned text'), ticks = texts.filter(function (text) { return text.dataset.value; });
    const level = ticks.filter(function (text) { return text.getAttribute('text-anchor') === 'middle'; });
    const upright = ticks.filter(function (text) { return text.getAttribute('text-anchor') === 'end'; });
    expect(level.length >= 2 && upright.length >= 2, where + ': values at the axes: ' + level.length + ', ' + upright.length);
    expect($$('.axis').every(function (node) { return node.style.display === 'none'; }), where + ': the axes are there twice');
    for (const text of level)
      expect(Math.abs(Number(text.getAttribute('x')) - place(Number(text.dataset.value), plot.x, plot.left, plot.right)) < 0.1, where + ': ' + text.textContent + ' is not at its place');
    for (const text of upright)
      expect(Math.abs(Number(text.getAttribute('y')) - 4 * scale - place(Number(text.dataset.value), plot.y, plot.bottom, plot.top)) < 0.1, where + ': ' + text.textContent + ' is not at its place');
    for (const text of texts) {
      const it = text.getBBox();
      expect(it.x >= view.x - 1 && it.x + it.width <= view.x + view.width + 1 && it.y >= view.y - 1 && it.y + it.height <= view.y + view.height + 1,
             where + ': "' + text.textContent + '" is not in sight');
      const size = text.getBoundingClientRect().height;
      expect(size > 8 && size < 24, where + ': a value is ' + size + ' px high');
    }
    const quads = texts.map(quad);
    for (let i = 0; i < quads.length; ++i)
      for (let j = 0; j < i; ++j) expect(!meet(quads[i], quads[j]), where + ': "' + texts[i].textContent + '" meets "' + texts[j].textContent + '"');
    expect(texts.some(function (text) { return text.textContent === 'FLOP/byte'; }), where + ': no unit');
  }
  expect($$('.pinned text').length === 0, 'axes before the chart is nearer');
  press('#nearer');
  expect(box().width < wide, 'the chart does not come nearer');
  for (let step = 1; step <= 12; ++step) {
    expectAxes('nearer ' + step);
    expectSizes('nearer ' + step);
    press('#nearer');
  }
  for (const key of ['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp'])
    for (let step = 0; step < 80; ++step) {
      $('.chart svg').dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true}));
      if (step % 20 === 19) {
        expectAxes(key + ' ' + step);
        expectSizes(key + ' ' + step);
      }
    }
  $('.chart svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  $('.chart svg').dispatchEvent(new KeyboardEvent('keydown', {key: '0', bubbles: true}));
  expect(box().width === wide && box().x === 0, 'the chart does not go back');
  expect($$('.pinned text').length === 0 && $$('.axis').every(function (node) { return node.style.display === ''; }), 'the axes do not go back');
  expectApart('the whole chart again');

  // The icicle: a region as wide as the page, and all of it again.
  const slabs = $$('.rm-icicle .slab');
  expect(slabs.length > 0, 'no icicle');
  const narrow = slabs.find(function (slab) { return slab.dataset.to - slab.dataset.from < 0.9; });
  if (narrow) {
    const width = function () { return Number(narrow.querySelector('rect').getAttribute('width')); }, before = width();
    narrow.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    expect(width() > before && width() > 0.9 * $('.rm-icicle').viewBox.baseVal.width, 'a slab does not get wide: ' + width());
    narrow.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    expect(Math.abs(width() - before) < 1, 'the icicle does not go back');
  }
  for (const text of $$('.rm-icicle .slab text')) {
    const slab = text.parentNode.querySelector('rect');
    if (text.textContent) expect(text.getBBox().x + text.getBBox().width <= Number(slab.getAttribute('x')) + Number(slab.getAttribute('width')) + 1, 'a name leaves its slab: ' + text.textContent);
  }

  // Points and slabs can be reached with the keyboard.
  expect($$('.chart .point').every(function (node) { return node.tabIndex === 0 && node.getAttribute('aria-label'); }), 'a point without the keyboard');

  // Of very many points the heaviest have nodes; all are painted on one canvas, where the pointer finds them.
  const mostNodes = 400, reachable = 200, page = window.roofmarkPage, crowd = $('.chart canvas.crowd');
  const isCrowded = function () { return page.drawn().length > mostNodes; };
  const nodesOf = function (count) { return count > mostNodes ? reachable : count; };
  expect(Boolean(crowd && !crowd.hidden) === isCrowded(), 'a canvas with ' + page.drawn().length + ' points');
  expect($$('.chart .points .point').length === nodesOf(page.drawn().length), 'nodes of points: ' + $$('.chart .points .point').length);
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  function rgb(colour) {
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data;
  }
  function pixelOf(point) {
    const view = box(), scale = crowd.width / view.width;
    probe.clearRect(0, 0, 1, 1);
    probe.drawImage(crowd, Math.round((point.px - view.x) * scale), Math.round((point.py - view.y) * scale), 1, 1, 0, 0, 1, 1);
    return Array.from(probe.getImageData(0, 0, 1, 1).data);
  }
  // 0.72 of its side's colour, the rest of whatever lies below it.
  function isPainted(point) {
    const colour = rgb(getComputedStyle($('.chart svg')).getPropertyValue('--rm-' + point.side).trim()), pixel = pixelOf(point);
    return pixel[3] > 150 && [0, 1, 2].every(function (i) { return pixel[i] > 0.72 * colour[i] - 8 && pixel[i] < 0.72 * colour[i] + 0.28 * 255 + 8; });
  }
  function expectPainted(point, when) {
    expect(isPainted(point), when + ': ' + point.region.path + ' is painted as ' + pixelOf(point) + ', not as ' + point.side);
  }
  function aim(name, point) {
    const at = new DOMPoint(point.px, point.py).matrixTransform($('.chart svg').getScreenCTM());
    $('.chart svg').dispatchEvent(new PointerEvent(name, {bubbles: true, clientX: at.x, clientY: at.y}));
  }
  // On top: nothing is painted over it.
  const lightest = function () { return page.drawn()[page.drawn().length - 1]; };
  if (isCrowded()) {
    expectPainted(lightest(), 'at first');
    press('#theme');
    expectPainted(lightest(), 'in the other theme');
    press('#theme');
    dispatchEvent(new Event('beforeprint'));
    expectPainted(lightest(), 'on paper');
    expect(crowd.width >= 2 * $('.chart svg').getBoundingClientRect().width, 'coarse on paper: ' + crowd.width);
    dispatchEvent(new Event('afterprint'));
    aim('pointermove', lightest());
    expect(!$('.tip').hidden && $('.tip').textContent.startsWith(lightest().region.path + '\n'), 'the tip of a painted point: ' + $('.tip').textContent);
    expect($('.chart svg').style.cursor === 'pointer', 'the pointer over a painted point');
    aim('click', lightest());
    expect($('#regions tr.region[data-region="' + lightest().index + '"] + tr.more'), 'a click on a painted point');
    const one = $('#regions tr.region[data-region="' + lightest().index + '"]');
    one.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
    expect($$('.chart .point.marked').length === 1 && $('.chart .point.marked').dataset.region === String(lightest().index), 'the point of a row');
    one.dispatchEvent(new MouseEvent('mouseout', {bubbles: true}));
    expect($$('.chart .points .point').length === reachable, 'a node that was marked stays');
    press('#regions tr.region[data-region="' + lightest().index + '"]');
    page.state.rows = 200;  // the click asked for as many as it took
  }

  // Dots of single threads: where their own numbers put them, off at first, and the others told.
  const shared = data.regions.findIndex(function (region) { return region.shares; });
  const dots = function () { return $$('.chart .dot'); }, said = function () { return $('#cloud-said').textContent; };
  function chooseCloud(value) { $('#cloud').value = value; $('#cloud').dispatchEvent(new Event('change')); }
  expect(dots().length === 0 && $('#cloud-said').hidden, 'dots before anybody asked for them');
  expect($('#cloud').closest('fieldset').hidden === (shared < 0), 'the choice of dots');
  if (shared >= 0) {
    const shares = data.regions[shared].shares, plot = data.plot, known = $$('.chart .point').length;
    press('#regions tbody tr.region[data-region="' + shared + '"]');
    press('#regions tbody tr.region[data-region="' + shared + '"]');
    chooseCloud('one');
    expect(dots().length === 2, 'dots: ' + dots().length);
    shares.each.forEach(function (share, i) {
      const at = share.work;
      const x = place(at.flop.f64 / at.bytes[data.level], plot.x, plot.left, plot.right), y = place(at.flop.f64 / at.time, plot.y, plot.bottom, plot.top);
      const dot = dots()[i];
      expect(dot && Math.abs(dot.getAttribute('cx') - x) < 0.01 && Math.abs(dot.getAttribute('cy') - y) < 0.01, 'dot ' + i + ' is not at ' + [x, y]);
      expect(dot && dot.tabIndex === 0 && dot.getAttribute('aria-label').includes('thread ' + share.number) && dot.getAttribute('aria-label').includes('one core'), 'what dot ' + i + ' says');
    });
    expect(said().includes('2 of 3 threads have dots.') && said().includes('1 left out: ' + shares.left[0][1]), 'the line below the chart: ' + said());
    expect($$('.chart .point').length === known, 'points come or go with dots');
    dots()[0].dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 50, clientY: 50}));
    expect(!$('.tip').hidden && $('.tip').textContent.includes('its share of the roof'), 'no tooltip of a dot');
    const other = data.regions.findIndex(function (region) { return !region.shares; });
    press('#regions tbody tr.region[data-region="' + other + '"]');
    expect(dots().length === 0 && said().includes('no counts of single threads'), 'dots of a region without: ' + said());
    press('#regions tbody tr.region[data-region="' + other + '"]');
    const most = $('#cloud [value=all]');
    expect(most.disabled === (data.regions.length > 1000), 'dots of all points of a large page');
    if (!most.disabled) {
      chooseCloud('all');
      expect(dots().length >= 2 && dots().every(function (dot) { return !dot.hasAttribute('tabindex'); }), 'dots of all points: ' + dots().length);
    }
    chooseCloud('');
    expect(dots().length === 0 && $('#cloud-said').hidden, 'dots stay');
    press('#regions tbody tr.region[data-region="' + shared + '"]');
    press('#regions tbody tr.region[data-region="' + shared + '"]');
    chooseCloud('one');
  }

  // Nearer, and as it is painted then: in the next picture of the browser.
  for (let step = 0; isCrowded() && step < 3; ++step) press('#nearer');
  const wanted = data.regions[1].name.toLowerCase();
  const matching = data.regions.filter(function (region) { return region.path.toLowerCase().includes(wanted); }).length;
  $('#filter').value = wanted;
  $('#filter').dispatchEvent(new Event('input'));
  // The page waits for the last key, and then a little more before it changes the address: as long as a busy machine takes.
  (function settled(tries) {
    if (tries > 0 && !location.hash.includes('filter=')) {
      setTimeout(settled, 200, tries - 1);
      return;
    }
    expect(rows().length === Math.min(200, matching), 'the filter shows ' + rows().length + ' of ' + matching);
    expect(shared < 0 || location.hash.includes('cloud=' + shared), 'the address does not say whose dots: ' + location.hash);
    const many = Number($('.chart svg').dataset.drawn);
    expect(many === page.drawn().length && $$('.chart .points .point').length === nodesOf(many), 'points: ' + $$('.chart .points .point').length + ' of ' + many);
    if (isCrowded()) {
      const isFaint = function (point) { return !point.region.path.toLowerCase().includes(wanted); };
      const view = box(), seen = page.drawn().filter(function (p) { return p.px > view.x && p.px < view.x + view.width && p.py > view.y && p.py < view.y + view.height; });
      const alone = seen.filter(function (p) { return !page.drawn().some(function (q) { return q !== p && Math.hypot(q.px - p.px, q.py - p.py) < q.radius + p.radius + 4; }); });
      expect(alone.length > 0, 'no point stands alone');
      for (const point of alone) expect(isPainted(point) !== isFaint(point), 'filtered: ' + point.region.path + ' is painted as ' + pixelOf(point));
    }
    expect($$('.chart .points .point').every(function (point) { return point.classList.contains('faded') !== data.regions[point.dataset.region].path.toLowerCase().includes(wanted); }), 'points that are faded');
    expect(location.hash.includes('filter='), 'the address does not say what is shown: ' + location.hash);
    console.log(failures.length ? 'CHECK FAILED: ' + failures.slice(0, 10).join('; ') : 'CHECK PASSED');
  })(50);
})();
