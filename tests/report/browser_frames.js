// Runs in a report page: moves its chart by its keys, one step a frame, and tells how long a frame took.
addEventListener('load', async function () {
  'use strict';
  const chart = document.querySelector('.chart svg');
  const frame = function () { return new Promise(requestAnimationFrame); };
  const steps = function (key, count) { return Array(count).fill(key); };
  const keys = [].concat(steps('+', 9), steps('-', 9), steps('+', 3), steps('ArrowLeft', 8), steps('ArrowDown', 8),
                         steps('ArrowRight', 8), steps('ArrowUp', 8), steps('-', 3), steps('+', 9));
  for (let wait = 0; wait < 30; ++wait) await frame();
  const start = await frame();
  let now = start;
  for (const key of keys) {
    chart.dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true}));
    now = await frame();
  }
  console.log('FRAME ' + ((now - start) / keys.length).toFixed(2));
});
