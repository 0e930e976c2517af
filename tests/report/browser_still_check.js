// Runs in a report page: whatever set its chart in motion, what stands still is painted anew and is no scaled picture.
(function () {
  'use strict';
  const few = 1500, restedMs = 1000;
  const failures = [], context = CanvasRenderingContext2D.prototype;
  let scaled = false, copies = 0;
  const crowd = function () { return document.querySelector('.chart canvas.crowd'); };
  for (const [name, isCopy] of [['clearRect', false], ['drawImage', true]]) {
    const own = context[name];
    context[name] = function () {
      if (this.canvas === crowd()) { scaled = isCopy; if (isCopy) ++copies; }
      return own.apply(this, arguments);
    };
  }
  function rest() { return new Promise(function (done) { setTimeout(done, restedMs); }); }
  addEventListener('load', async function () {
    await rest();
    const many = window.roofmarkPage.drawn().length > few, chart = document.querySelector('.chart svg');
    const key = function (key) { chart.dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true})); };
    const motions = {
      'a narrower window': function () { document.body.style.width = '60%'; },
      'a wider window': function () { document.body.style.width = '95%'; },
      'the other theme': function () { document.querySelector('#theme').click(); },
      'a nearer look': function () { key('+'); },
      'a move': function () { key('ArrowLeft'); },
      'the whole again': function () { key('0'); }
    };
    for (const [name, move] of Object.entries(motions)) {
      const before = copies;
      move();
      await rest();
      if (scaled) failures.push('blurred after ' + name);
      if (many && name.endsWith('window') && copies === before) failures.push('not shown at once after ' + name);
      const wide = crowd() && !crowd().hidden ? crowd().width / chart.getBoundingClientRect().width : devicePixelRatio;
      if (Math.abs(wide / devicePixelRatio - 1) > 0.02) failures.push('coarse after ' + name + ': ' + wide);
    }
    console.log(failures.length ? 'STILL ' + failures.join('; ') : 'STILL PASSED');
  });
})();
