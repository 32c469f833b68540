// The page: head, tabs, one view at a time, details next to it.

const VIEWS = [
  ['timeline', 'Timeline', X, viewTimeline, '← → commands · ↑ ↓ queues · + − zoom · shift ← → pan · f fit · z zoom to it · [ what it waited for · ] who waited · h next hazard · w without the barrier · s stages · / find · enter text'],
  ['graph', 'Dependencies', X, viewGraph, 'arrows move · [ ] along an edge · enter select · esc clear'],
  ['memory', 'Memory', X, viewMemory, '← → one change · tab to resources'],
  ['barriers', 'Barriers', X, viewBarriers, 'tab and enter open a row · heads sort · w without it'],
  ['source', 'Source', true, viewSource, 'n p findings · t timeline'],
  ['steps', 'Steps', X, viewSteps, '→ next · ← previous · a ask first · c caches'],
  ['profiles', 'Profiles', X, viewProfiles, ''],
].filter((v) => v[2]);
let current = { name: '', changed: () => {}, focus: () => {} };

function start() {
  const began = performance.now();
  readHash();
  applyTheme();
  if (options.alone) document.title = `${visible(D.scenario, 80)} – syncscope`;
  const view = el('section', { id: 'view', role: 'tabpanel', 'aria-label': 'View' });
  const aside = el('aside', { 'aria-label': 'Details', id: 'details', tabindex: '0' });
  const main = el('main', {}, view, aside);
  const tabs = VIEWS.map(([name, words], i) => el('button', { type: 'button', role: 'tab', id: `tab-${name}`, title: `${words} (${i + 1})`, onclick: () => show(name) }, words));
  const keys = el('span', { class: 'keys' });
  const theme = el('button', { type: 'button', title: 'Light or dark', 'aria-label': 'Light or dark', id: 'theme', onclick: () => set({ theme: dark() ? 'light' : 'dark' }) }, '◐');
  root.classList.add('page');
  root.replaceChildren(el('div', {}, head(theme), leftOut(), story()), el('nav', { role: 'tablist', 'aria-label': 'Views' }, tabs), main, below(), el('footer', {}, keys, el('span', {}, `syncscope ${D.version}`)));
  const refresh = () => {
    const at = Math.max(0, VIEWS.findIndex(([name]) => name === state.view));
    const [name, words, , make, help] = VIEWS[at];
    if (current.name !== name) {
      view.replaceChildren();
      const fresh = el('div', { css: { display: 'contents' } });
      view.append(fresh);
      view.setAttribute('aria-labelledby', `tab-${name}`);
      // Steps show nothing of what comes later: what happened would tell it.
      byId('story').hidden = name === 'steps' || (name === 'timeline' && comparing());
      main.className = ['memory', 'barriers', 'profiles'].includes(name) ? 'wide' : '';
      // A view that is being made may change what is shown: it is the current one already.
      const made = { name, changed: () => {}, focus: () => {} };
      current = made;
      Object.assign(made, make(fresh));
      keys.textContent = help ? `${help} · 1–${VIEWS.length} views` : `1–${VIEWS.length} views`;
      tabs.forEach((tab, i) => { tab.setAttribute('aria-selected', String(i === at)); tab.setAttribute('tabindex', i === at ? '0' : '-1'); });
    }
  };
  listeners.push((changed) => {
    if (changed.includes('theme')) { applyTheme(); fills = {}; }
    const before = current.name;
    refresh();
    if (current.name === before) current.changed(changed);
    if (['theme', 'without'].some((key) => changed.includes(key)) && current.name === before) { current.name = ''; refresh(); }
    details(aside);
  });
  hear(options.alone ? window : root, 'keydown', (e) => pageKey(e, tabs));
  if (options.alone) hear(window, 'hashchange', () => { const before = { ...state }; readHash(); const now = { ...state }; Object.assign(state, before); set(now); });
  hear(matchMedia('(prefers-color-scheme: dark)'), 'change', () => { if (state.theme === '') { applyTheme(); fills = {}; current.name = ''; refresh(); } });
  refresh();
  details(aside);
  const took = performance.now() - began;
  if (options.kept) backTo(options.kept.place);
  if (options.alone) { watch(); probe(took); }
  return { set, leave: () => { over.abort(); return { state, place: placeNow() }; } };
}

function head(theme) {
  const fact = (name, value) => el('span', {}, `${name} `, el('b', {}, el('bdi', {}, value)));
  return el('header', {}, el('h1', { title: visible(D.scenario) }, D.scenario), el('div', { class: 'facts' },
    D.profile ? fact('profile', D.profile) : '', D.lowering ? fact('lowering', D.lowering) : '', D.makespan_ps ? fact('takes', time(D.makespan_ps)) : '', D.makespan_ps ? fact('exposed', time(D.exposed_ps)) : '',
    D.stuck.length ? el('span', { class: 'hazard' }, `✖ ${count(D.stuck.length, 'wait never ends', 'waits never end')}`) : '',
    D.severities.length ? counts() : el('span', {}, '✓ no findings')), theme);
}

// What the whole run did, below the picture.
function below() {
  if (!D.makespan_ps) return '';
  const { totals: t } = D;
  return el('details', { id: 'below' },
    el('summary', {}, `Totals and caches: ${count(t.commands, 'command')}, ${count(t.barriers, 'barrier')}, ${count(t.bad_reads, 'bad read')}`),
    el('p', {}, `${count(t.cleans, 'flush', 'flushes')} (${bytes(t.cleaned_bytes)}), ${count(t.invalidates, 'invalidate')}, ${count(t.layout_operations, 'layout operation')}.`),
    el('ul', {}, D.caches.map(([name, policy, note]) => el('li', {}, el('b', {}, name), ` ${policy}${note ? `: ${note}` : ''}`))));
}

function leftOut() {
  const all = [...(X ? X.left_out : [])];
  for (const u of D.unlisted) all.push(`${u.count} more of ${u.rule} (${u.severity}) are counted, not listed`);
  if (!all.length) return '';
  return el('details', { class: 'left-out' }, el('summary', {}, `Not everything is in this page (${all.length})`), el('ul', {}, all.map((w) => el('li', {}, w))));
}

function pageKey(e, tabs) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  // Keys work before anything is clicked: they go to the view.
  if (options.alone && scope.activeElement === document.body && !(Number(e.key) >= 1)) {
    current.focus();
    const to = scope.activeElement;
    if (to !== document.body && !to.dispatchEvent(new KeyboardEvent('keydown', { key: e.key, shiftKey: e.shiftKey, bubbles: true, cancelable: true }))) e.preventDefault();
    return;
  }
  const typing = e.target.closest && e.target.closest('input[type="search"], select');
  if (typing) { if (e.key === 'Escape') e.target.blur(); return; }
  if (e.key === 'w' && X && (comparing() || barrierOf.has(state.sel))) { if (comparing()) endComparing(); else compareWithout(state.sel); e.preventDefault(); }
  if (e.key === 'Escape' && comparing()) { endComparing(); e.preventDefault(); }
  const n = Number(e.key);
  if (n >= 1 && n <= VIEWS.length) { show(VIEWS[n - 1][0]); current.focus(); e.preventDefault(); }
  const at = tabs.indexOf(scope.activeElement);
  if (at >= 0 && (e.key === 'ArrowRight' || e.key === 'ArrowLeft')) {
    const next = (at + (e.key === 'ArrowRight' ? 1 : -1) + tabs.length) % tabs.length;
    show(VIEWS[next][0]); tabs[next].focus(); e.preventDefault();
  }
  if (at >= 0 && e.key === 'ArrowDown') { current.focus(); e.preventDefault(); }
  if (e.key === '/' && state.view === 'timeline') { byId('search').focus(); e.preventDefault(); }
}
