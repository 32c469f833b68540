// What is shown. A document of one run keeps it in its address after `#`, so that a link, a reload and the way back keep it; a run
// that is shown in the place of another takes it over.

const state = { view: X ? 'timeline' : 'source', sel: '', t0: '', t1: '', step: '0', finding: '', line: '', kind: '', resource: '', at: '', theme: '', watch: '', caches: '', without: X ? X.without.opened : '' };
const listeners = [];

// What is of one run only, as a part of its time or one of its findings, is not taken over.
const KEPT = ['view', 'sel', 'step', 'kind', 'resource', 'caches', 'theme'];
if (options.kept) for (const key of KEPT) state[key] = options.kept.state[key];
else if (options.theme) state.theme = options.theme;

function readHash() {
  if (!options.alone) return;
  const read = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(state)) if (read.has(key)) state[key] = read.get(key);
}
let writing = 0;
function writeHash() {
  if (!options.alone) return;
  clearTimeout(writing);
  writing = setTimeout(() => {
    const kept = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) if (value !== '') kept.set(key, value);
    history.replaceState(null, '', `#${kept}`);
  }, 150);
}

// Changes some of it and tells every part of the page that looks at it.
function set(change) {
  const keys = Object.keys(change).filter((key) => state[key] !== String(change[key]));
  for (const key of keys) state[key] = String(change[key]);
  if (keys.length === 0) return;
  writeHash();
  for (const listener of listeners) listener(keys);
}

// What moves in a view, and where the keys go.
const moved = () => root.querySelector('#view .scroll, #view .track-host');
function placeNow() {
  return { view: state.view, top: moved() ? moved().scrollTop : 0, focus: (scope.activeElement || {}).id || '', stages: mainTimeline ? mainTimeline.stages : true };
}
function backTo(kept) {
  if (!kept || kept.view !== state.view) return;
  if (moved()) moved().scrollTop = kept.top;
  const focus = kept.focus && byId(kept.focus);
  if (focus) focus.focus({ preventScroll: true });
  if (mainTimeline && kept.stages === false) { mainTimeline.stages = false; mainTimeline.draw(); }
}

// A page that `syncscope watch` writes looks every two seconds whether its file is another one, and is loaded anew then; `#watch=5` asks
// for another time, `#watch=0` for none. What was looked at, and where the keys go, stays.
function watch() {
  try { backTo(JSON.parse(sessionStorage.getItem('place'))); sessionStorage.removeItem('place'); } catch { /* no storage: the start of the view is shown */ }
  const seconds = state.watch === '' ? D.reloads_s || 0 : Number(state.watch);
  if (!(seconds > 0)) return;
  setInterval(async () => {
    if (document.hidden || await isSame()) return;
    try { sessionStorage.setItem('place', JSON.stringify(placeNow())); } catch { /* as above */ }
    location.reload();
  }, Math.max(0.5, seconds) * 1000);
}

// Whether the file is still that of this page. One that says nothing is being written: it is looked at again.
let looking = null;
function isSame() {
  if (!looking) {
    const frame = el('iframe', { src: `${location.href.split('#')[0]}#stamp`, hidden: true, title: 'The file, looked at again' });
    const own = options.stamp;
    looking = new Promise((done) => {
      const end = (same) => { clearTimeout(late); removeEventListener('message', told); frame.remove(); looking = null; done(same); };
      const told = (e) => { if (e.source === frame.contentWindow) end(e.data === own); };
      const late = setTimeout(() => end(true), 5000);
      addEventListener('message', told);
      document.body.append(frame);
    });
  }
  return looking;
}

function selected() { return rowOf.has(state.sel) ? rowOf.get(state.sel) : -1; }
function select(row) { set({ sel: row >= 0 ? P.id[row] : '', finding: '' }); }
function show(view, change = {}) { set({ view, ...change }); }

// A row's causes back to the start, and everything that waited for it.
function chain(row) {
  const back = new Set(), on = new Set();
  for (let at = row; at >= 0 && !back.has(at); at = P.after[at]) back.add(at);
  const open = [row];
  while (open.length && on.size < 5000) {
    for (const next of byRow.waiters.get(open.pop()) || []) if (!on.has(next)) { on.add(next); open.push(next); }
  }
  return { back, on };
}

function dark() {
  return state.theme === 'dark' || (state.theme === '' && matchMedia('(prefers-color-scheme: dark)').matches);
}
function applyTheme() { root.dataset.theme = dark() ? 'dark' : 'light'; palette = null; }
let palette = null;
function color(name) {
  if (!palette) palette = { style: getComputedStyle(root), known: {} };
  return (palette.known[name] ??= palette.style.getPropertyValue(`--${name}`).trim());
}
