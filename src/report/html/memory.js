// What memory and caches hold at a moment.

// What each place holds after the moment of this number: by place and block, the runs. Kept from call to call.
let heldState = { moment: -1, of: new Map() };
function heldAt(moment) {
  const { moments } = X.contents;
  if (moment < heldState.moment) heldState = { moment: -1, of: new Map() };
  for (let i = heldState.moment + 1; i <= moment; i += 1) {
    for (const [place, memory, runs] of moments[i].blocks) heldState.of.set(`${place} ${memory}`, { runs, since: i });
  }
  heldState.moment = moment;
  return heldState.of;
}

// Which writes there are of a block of memory, by when they first appeared anywhere: the newest of some bytes is what a
// read should see.
let ages = null;
function age(writer) {
  if (!ages) {
    ages = new Map([[0, -1]]);
    X.contents.moments.forEach((m, i) => { for (const [, , runs] of m.blocks) for (const run of runs) if (!ages.has(run[2])) ages.set(run[2], i); });
  }
  return ages.get(writer) ?? -1;
}

function clipped(runs, start, finish) {
  const all = [];
  for (const [a, b, ...rest] of runs || []) if (a < finish && b > start) all.push([Math.max(a, start), Math.min(b, finish), ...rest]);
  return all;
}

// Whether any place holds a newer write of some of these bytes.
function isOld(of, memory, run) {
  return X.contents.places.some((_, place) => clipped((of.get(`${place} ${memory}`) || {}).runs, run[0], run[1]).some((other) => age(other[2]) > age(run[2])));
}

// One cell: whose bytes a place holds of a range.
function heldCell(of, place, memory, start, finish) {
  const runs = clipped((of.get(`${place} ${memory}`) || {}).runs, start, finish);
  const by = new Map();
  for (const run of runs) {
    const [a, b, writer, dirty, state] = run;
    const old = isOld(of, memory, run);
    const key = `${writer} ${dirty} ${state} ${old}`;
    const known = by.get(key) || { writer, dirty, state, old, bytes: 0 };
    known.bytes += b - a;
    by.set(key, known);
  }
  const isMemory = place === X.contents.places.length - 1;
  if (!by.size) return isMemory ? el('span', { class: 'note' }, 'initial') : el('span', { class: 'note' }, '–');
  return [...by.values()].slice(0, 4).map((h) => {
    const { old } = h;
    const part = h.bytes < finish - start ? ` ${bytes(h.bytes)}` : '';
    return el('span', { class: `held${old ? ' old' : ''}` }, el('span', { class: 'sign', title: h.dirty ? 'dirty: only here' : 'clean' }, h.dirty ? '●' : '○'),
      h.writer ? toTimeline(W[h.writer], writerName(h.writer)) : 'initial', part, ['', 'plain'].includes(W[h.state]) ? '' : ` (${W[h.state]})`, old ? el('span', { class: 'old-word' }, ' older') : '');
  }).concat(by.size > 4 ? el('span', { class: 'note' }, `and ${by.size - 4} more`) : []);
}
function writerName(writer) {
  const row = rowOf.get(W[writer]);
  return row === undefined ? W[writer] : visible(label(row).replace(/^\w[\w-]* "(.*)"$/, '$1'), 48);
}

function layoutAt(resource, subresource, t) {
  let found = '';
  for (const l of X.layouts) { if (l.at > t) break; if (l.resource === resource && l.first <= subresource && subresource < l.end) found = W[l.layout]; }
  return found;
}

// The places that ever hold something of a block of memory (or of any), on the way from what shaders read first to memory: the same
// columns at every moment.
const columnsOf = new Map();
function columns(memory = -1) {
  if (columnsOf.has(memory)) return columnsOf.get(memory);
  const { places, moments } = X.contents;
  const used = new Set([places.length - 1]);
  for (const m of moments) for (const [place, of, runs] of m.blocks) if (runs.length && (memory < 0 || of === memory)) used.add(place);
  const steps = (p) => { let n = 0; for (let at = places[p].parent; at >= 0 && n < places.length; at = places[at].parent) n += 1; return n; };
  const all = [...used].sort((a, b) => (a === places.length - 1) - (b === places.length - 1) || steps(b) - steps(a) || a - b);
  columnsOf.set(memory, all);
  return all;
}

// Where a finding shows: the moment at which its second use goes on.
function momentOfFinding() {
  const wanted = state.finding === '' ? D.meetings[0] : D.meetings.find((m) => String(m.finding) === state.finding);
  return wanted ? Math.max(0, momentAt(wanted.second_ps)) : -1;
}

// The last moment at or before a time.
function momentAt(t) { const { moments } = X.contents; return lower(moments.length, (i) => moments[i].at, t + 0.5) - 1; }

function viewMemory(view) {
  const C = X.contents;
  if (!C.moments.length) { view.append(el('p', { class: 'pad' }, C.is_cut ? 'What memory held is not in this page: see the remarks at the top.' : 'Nothing was written or cached: memory holds its initial contents.'), ...comparedReads(), heapMap(null, 0)); return {}; }
  const last = C.moments.length - 1;
  const told = momentOfFinding();
  let moment = state.at === '' ? (told < 0 ? last : told) : Math.min(last, Math.max(0, Number(state.at)));
  const range = el('input', { type: 'range', min: '0', max: String(last), value: String(moment), id: 'scrubber', 'aria-label': 'Moment' });
  const when = el('b', { class: 'mono' });
  const says = el('div', { class: 'pad', 'aria-live': 'polite', id: 'memory-says' });
  const table = el('div', { class: 'pad', id: 'memory-table' });
  const go = (m) => { set({ at: Math.min(last, Math.max(0, m)) }); };
  const choose = el('select', { id: 'memory-resource', 'aria-label': 'Resource', onchange: (e) => set({ resource: e.target.value }) },
    el('option', { value: '' }, 'every resource'), X.resources.map((r) => el('option', { value: W[r.name], selected: W[r.name] === state.resource }, W[r.name])));
  range.addEventListener('input', () => go(Number(range.value)));
  range.style.setProperty('flex', '1');
  const step = (words, name, by) => el('button', { type: 'button', 'aria-label': name, title: name, onclick: () => go(nextMoment(moment, by)) }, words);
  view.append(el('div', { class: 'bar' }, step('◀', 'Change before', -1), range, step('▶', 'Next change', 1), when, choose,
    el('button', { type: 'button', onclick: () => { const row = selected(); if (row >= 0) go(momentAt(to(row))); } }, 'Go to selected')),
    says, el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Memory at this moment' }, table));
  view.append(el('div', { class: 'legend' }, '● dirty: only there until it is written back  ○ clean  – nothing ', el('span', { class: 'old-word' }, 'older'), ': a newer write of these bytes is somewhere else'));
  function refresh() {
    const m = C.moments[moment];
    range.value = String(moment);
    range.setAttribute('aria-valuetext', `${time(m.at)}, change ${moment + 1} of ${last + 1}`);
    when.textContent = `${time(m.at)} · ${moment + 1}/${last + 1}`;
    says.replaceChildren(...m.says.slice(0, 6).map((s) => el('div', {}, W[s])), m.row >= 0 ? el('div', { class: 'note' }, 'by ', toTimeline(P.id[m.row], `${label(m.row)} (${P.id[m.row]})`)) : '');
    const of = heldAt(moment);
    const chosen = X.resources.map((r, i) => [r, i]).filter(([r]) => !state.resource || W[r.name] === state.resource);
    const nodes = state.resource ? chosen.map(([r, i]) => oneResource(of, r, i, m.at)) : [allResources(of, chosen, m.at)];
    table.replaceChildren(...comparedReads(), ...nodes, heapMap(of, m.at));
  }
  function nextMoment(at, by) {
    const r = X.resources.find((other) => W[other.name] === state.resource);
    for (let i = at + by; i >= 0 && i <= last; i += by) {
      if (!r) return i;
      const concerns = C.moments[i].blocks.some(([, memory]) => memory === r.memory || (C.metadata !== null && memory === r.memory + C.metadata));
      if (concerns && C.moments[i].says.some((s) => W[s].includes(`\`${W[r.name]}\``))) return i;
    }
    return at;
  }
  refresh();
  return { changed: (keys) => { if (keys.includes('at')) moment = Number(state.at); if (keys.includes('finding') && !keys.includes('at') && momentOfFinding() >= 0) { set({ at: momentOfFinding() }); return; } if (keys.some((k) => ['at', 'resource'].includes(k))) refresh(); }, focus: () => range.focus() };
}

// A row a resource, a column a place; only what some cache holds or somebody has written.
function allResources(of, chosen, t) {
  const { places } = X.contents;
  const shown = columns();
  const rows = chosen.map(([r, i]) => {
    const cells = shown.map((p) => el('td', {}, heldCell(of, p, r.memory, r.start, r.end)));
    const layouts = [...new Set(r.subresources.map((_, s) => layoutAt(i, s, t)))];
    return el('tr', {}, el('th', { scope: 'row' }, el('button', { type: 'button', class: 'link', onclick: () => set({ resource: W[r.name] }) }, W[r.name])), cells,
      el('td', {}, r.subresources.length ? (layouts.length === 1 ? layouts[0] : `${layouts.length} layouts`) : ''));
  });
  return el('table', {}, el('caption', {}, 'Which version is where'), el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'resource'), shown.map((p) => el('th', { scope: 'col' }, `${W[places[p].name]}`)), el('th', { scope: 'col' }, 'layout'))), el('tbody', {}, rows));
}

// A row a subresource: each place, its layout, and what its metadata says.
function oneResource(of, r, index, t) {
  const { places, metadata } = X.contents;
  const parts = r.subresources.length ? r.subresources : [[0, r.start, r.end]];
  const many = parts.length > 1;
  // Caches that never hold anything of it are left out.
  const shown = columns(r.memory);
  const rows = parts.map(([name, start, finish], s) => {
    const meta = metadata === null ? '' : [...new Set(places.flatMap((_, p) => clipped((of.get(`${p} ${r.memory + metadata}`) || {}).runs, start, finish).map((run) => `${W[places[p].name]}: ${W[run[4]]}`)))].join(', ');
    return el('tr', {}, el('th', { scope: 'row' }, many ? W[name] || 'all' : W[r.name]), shown.map((p) => el('td', {}, heldCell(of, p, r.memory, start, finish))),
      el('td', {}, r.subresources.length ? layoutAt(index, s, t) : 'none: a buffer'), el('td', {}, meta || '–'));
  });
  return el('table', {}, el('caption', {}, `${W[r.name]}: ${W[r.kind]}, ${bytes(r.end - r.start)}`), el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, many ? 'subresource' : 'resource'), shown.map((p) => el('th', { scope: 'col' }, W[places[p].name], el('div', { class: 'note' }, W[places[p].policy]))), el('th', { scope: 'col' }, 'layout'), el('th', { scope: 'col' }, 'metadata says'))), el('tbody', {}, rows));
}

// Heaps with what is placed in them; what shares bytes is one below the other.
function heapMap(of, t) {
  const heaps = X.memory.map((m, i) => ({ ...m, i })).filter((m) => m.is_heap);
  if (!heaps.length) return el('p', { class: 'note' }, 'No heaps: every resource has memory of its own.');
  return el('div', { class: 'map' }, el('h3', {}, 'Heaps'), heaps.map((heap) => {
    const own = X.resources.map((r, i) => ({ r, i })).filter(({ r }) => r.memory === heap.i);
    const rows = packed(own, ({ r }) => r.start, ({ r }) => r.end, 24);
    const box = el('div', { class: 'heap', css: { height: `${Math.max(1, rows.length) * 25 + 3}px` } });
    rows.forEach((row, y) => row.forEach(({ r }) => box.append(el('button', {
      type: 'button', class: `res${r.aliased ? ' aliased' : ''}${W[r.name] === state.resource ? ' selected' : ''}`,
      title: visible(`${W[r.name]}: bytes ${r.start} to ${r.end}${r.aliased ? ', shares memory' : ''}`), onclick: () => set({ resource: W[r.name] }),
      css: { left: `${(r.start / heap.bytes) * 100}%`, width: `${Math.max(0.6, ((r.end - r.start) / heap.bytes) * 100)}%`, top: `${y * 25 + 2}px` },
    }, `${W[r.name]}${r.aliased ? ' ⇄' : ''}`))));
    const now = of ? clipped((of.get(`${X.contents.places.length - 1} ${heap.i}`) || {}).runs, 0, heap.bytes) : [];
    return el('div', {}, el('div', {}, el('b', {}, W[heap.name]), ` ${bytes(heap.bytes)}`, own.some(({ r }) => r.aliased) ? ' · ⇄ dashed: shares memory with another' : ''), box,
      now.length ? el('div', { class: 'note' }, `in memory at ${time(t)}: `, now.slice(0, 6).map((run) => `${bytes(run[1] - run[0])} from ${run[2] ? writerName(run[2]) : 'initial contents'}`).join('; '), now.length > 6 ? `; and ${now.length - 6} more` : '') : '');
  }));
}
