// Small helpers. What the data says is put in as text only: see `el` and `text`.

const X = D.detail;
const W = X ? X.words : [''];
const P = X ? X.packets : null;
// Rows from here on are packets of copies without a barrier: they are added when a copy is looked at.
const WRITTEN = P ? P.id.length : 0;
if (P) P.kind = [...P.kind];

// Several runs may be shown in one document, each in a shadow tree of its own: ids are looked up there.
const scope = root.getRootNode();
const byId = (id) => scope.getElementById(id);
// What is heard outside `root`, until another run is shown in its place.
const over = new AbortController();
const hear = (target, type, act) => target.addEventListener(type, act, { signal: over.signal });
// Errors, for whoever tests the page.
const errors = [];
if (options.alone) {
  hear(window, 'error', (e) => errors.push(String(e.message)));
  hear(window, 'unhandledrejection', (e) => errors.push(String(e.reason)));
  hear(window, 'securitypolicyviolation', (e) => errors.push(`policy: ${e.violatedDirective}`));
}

// Signs that would turn text around or hide in it are shown by their numbers, and very long names in part.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
function visible(value, most = 400) {
  let s = String(value);
  if (s.length > most) s = `${s.slice(0, most - 1)}…`;
  return s.replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

// An element with attributes, listeners (`onclick`) and children; strings become text.
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  return dress(node, attributes, children);
}
function svg(name, attributes = {}, ...children) {
  return dress(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}
function dress(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'css') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(child, 2000));
  }
  return node;
}

function time(ps) {
  if (ps === null || ps === undefined) return '–';
  if (ps === 0) return '0 ns';
  if (ps < 1e3) return `${ps} ps`;
  if (ps < 1e6) return `${trim(ps / 1e3)} ns`;
  if (ps < 1e9) return `${trim(ps / 1e6)} us`;
  return `${trim(ps / 1e9)} ms`;
}
function trim(n) { return n >= 100 ? n.toFixed(1) : n >= 10 ? n.toFixed(2) : n.toFixed(3); }
function bytes(n) {
  let unit = 0;
  while (n >= 1024 && unit < 4) { n /= 1024; unit += 1; }
  return `${unit ? n.toFixed(1) : n} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`;
}
function count(n, one, many = `${one}s`) { return `${n} ${n === 1 ? one : many}`; }

// The first index whose value is not below: values ascend.
function lower(length, at, value) {
  let lo = 0, hi = length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (at(mid) < value) lo = mid + 1; else hi = mid; }
  return lo;
}

const SIGN = { error: '✖', hazard: '⚠', warning: '▲', advice: 'ℹ', needed: '✓', redundant: '○', 'too-wide': '↔', 'too-narrow': '⚠' };
function word(kind) {
  return el('span', { class: `word ${kind}` }, `${SIGN[kind] || ''} ${kind}`);
}

// Rows by id, and what refers to them.
const rowOf = new Map();
const byRow = { findings: new Map(), waiters: new Map() };
const barrierOf = new Map(D.barriers.map((b) => [b.id, b]));
const commandOf = new Map(D.commands.map((c) => [c.id, c]));
// What is done on the critical path, by packet: the start and end of a scope have the id of a command, and another label.
const onPath = new Map();
for (const s of D.critical_path) push(onPath, `${s.command} ${s.label}`, s.did);
// Whether a packet is on the critical path. Where only a command's launch is, its work is not: it has slack.
function isCritical(row) {
  const did = row === undefined || row < 0 || row >= WRITTEN ? undefined : onPath.get(`${P.id[row]} ${label(row)}`);
  return Boolean(did) && (P.kind[row] !== 'w' || did.some((d) => d !== 'launch'));
}
function sayCritical(row) {
  if (isCritical(row)) return 'on the critical path';
  return onPath.has(`${P.id[row]} ${label(row)}`) ? 'its launch only: its work has slack' : 'no';
}
if (P) {
  // The start and end of a scope have the id of a command: the command comes first.
  P.id.forEach((id, row) => { const known = rowOf.get(id); if (known === undefined || (P.kind[known] === 'c' && P.kind[row] !== 'c')) rowOf.set(id, row); });
  P.after.forEach((other, row) => { if (other >= 0) push(byRow.waiters, other, row); });
}
D.findings.forEach((f, i) => {
  for (const side of [f.first, f.second]) {
    if (side && rowOf.has(side.command)) push(byRow.findings, rowOf.get(side.command), i);
  }
});
function push(map, key, value) { const all = map.get(key); if (all) all.push(value); else map.set(key, [value]); }
function findingsOf(row) {
  const own = byRow.findings.get(row) || [];
  const line = P.line[row];
  const there = [];
  D.findings.forEach((f, i) => { if (f.line === line && !own.includes(i)) there.push(i); });
  return own.concat(there);
}
function label(row) { return W[P.label[row]]; }
function trackName(row) { return W[X.tracks[P.track[row]]]; }
