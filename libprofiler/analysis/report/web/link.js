'use strict';
// What is shown is in the page's address, behind the #: a copied link shows the same.
(function () {
  const page = window.roofmarkPage;
  if (!page) return;
  const state = page.state, start = {level: state.level, self: state.self, sort: state.sort};

  function written() {
    const words = new URLSearchParams();
    if (state.level !== start.level) words.set('level', state.level);
    if (state.self !== start.self) words.set('scope', state.self ? 'self' : 'inclusive');
    if (state.filter) words.set('filter', state.filter);
    if (state.sort) words.set('sort', (state.down ? '-' : '') + state.sort);
    if (state.open.size) words.set('open', Array.from(state.open).slice(0, 50).join(' '));
    if (state.view) words.set('view', state.view.join(' '));
    if (state.hidden.size) for (const name of state.hidden) words.append('hidden', name);
    if (state.cloud !== null) words.set('cloud', String(state.cloud));
    if (state.icicle != null) words.set('in', String(state.icicle));
    return words.toString();
  }
  let restoring = false, pending = 0;
  page.changed = function () {
    if (restoring) return;
    clearTimeout(pending);
    pending = setTimeout(function () { history.replaceState(null, '', '#' + written()); }, 150);
  };
  // Whatever stands there may be anybody's: only what the page knows is taken.
  function restore() {
    const words = new URLSearchParams(location.hash.slice(1));
    const whole = function (text) { return /^\d{1,6}$/.test(text) ? Number(text) : NaN; };
    if (page.data.levels.includes(words.get('level'))) state.level = words.get('level');
    if (words.get('scope') === 'self' || words.get('scope') === 'inclusive') state.self = words.get('scope') === 'self';
    state.filter = (words.get('filter') || '').toLowerCase();
    const sort = (words.get('sort') || '').match(/^(-?)(.+)$/);
    if (sort && page.columns.includes(sort[2])) { state.sort = sort[2]; state.down = sort[1] === '-'; }
    for (const text of (words.get('open') || '').split(' '))
      if (whole(text) < page.data.regions.length) state.open.add(whole(text));
    const view = (words.get('view') || '').split(' ').map(whole);
    if (view.length === 3 && view.every(Number.isFinite)) state.view = view;
    for (const name of words.getAll('hidden')) state.hidden.add(name);
    const slab = whole(words.get('in') || '');
    if (slab < page.data.regions.length) state.icicle = slab;
    const cloud = words.get('cloud') || '';
    if (cloud === 'all' && page.mayShowAll && page.mayShowAll()) state.cloud = 'all';
    else if (page.data.regions[whole(cloud)] && page.data.regions[whole(cloud)].shares) state.cloud = whole(cloud);
    restoring = true;
    page.show();
    for (const act of page.atRestore) act();
    restoring = false;
  }
  if (location.hash.length > 1) restore();
  addEventListener('hashchange', function () { location.reload(); });
  addEventListener('keydown', function (event) {
    if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    document.getElementById('filter').focus();
  });
})();
