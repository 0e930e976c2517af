// Runs in a report page that was opened by a link: what the link says is shown, and what no page has is not.
(function () {
  'use strict';
  const failures = window.roofmarkErrors || [];
  function expect(condition, what) { if (!condition) failures.push(what); }
  const $ = function (selector) { return document.querySelector(selector); };
  const data = JSON.parse($('#roofmark-data').textContent);
  expect($('#scope [data-choice="inclusive"]').getAttribute('aria-pressed') === 'true', 'the scope');
  expect($('#regions th[data-column="time"]').getAttribute('aria-sort') === 'descending', 'the order');
  const box = $('.chart svg').viewBox.baseVal;
  expect(box.x === 100 && box.y === 50 && box.width === 400, 'the view: ' + [box.x, box.y, box.width]);
  expect(document.querySelectorAll('#regions tr.more').length === 1, 'the details');
  if (data.levels.length) expect($('#level [data-choice="' + data.level + '"]').getAttribute('aria-pressed') === 'true', 'a level that is not there');
  const dots = document.querySelectorAll('.chart .dot').length;
  expect(data.regions[1].shares ? dots === 2 && $('#cloud').value === 'one' : dots === 0, 'the dots: ' + dots);
  const slab = $('.rm-icicle .slab[data-region="1"]');
  if (slab) expect(Number(slab.querySelector('rect').getAttribute('width')) > 0.9 * $('.rm-icicle').viewBox.baseVal.width, 'the icicle');
  console.log(failures.length ? 'LINK FAILED: ' + failures.join('; ') : 'LINK PASSED');
})();
