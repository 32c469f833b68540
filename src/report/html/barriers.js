// Barriers as a table; a row opens its operations and what-ifs.

const barrierTable = { by: 'place', down: false, verdict: '', words: '', shown: 200, open: new Set() };
const BARRIER_COLUMNS = [
  ['place', 'line', (b) => b.line], ['id', 'id', (b) => b.id], ['queue', 'queue', (b) => b.queue], ['text', 'barrier', (b) => b.text], ['verdict', 'verdict', (b) => b.verdict],
  ['drain', 'drain', (b) => b.drain_ps], ['operation', 'operation', (b) => b.operation_ps], ['refill', 'refill', (b) => b.refill_ps], ['exposed', 'exposed', (b) => b.exposed_ps], ['critical', 'critical', (b) => b.critical_ps ?? -1], ['without', 'without it', (b) => withoutDifference(b.id)],
];

function barrierRows() {
  const { by, down, verdict, words } = barrierTable;
  const [, , key] = BARRIER_COLUMNS.find(([name]) => name === by);
  const like = words.toLowerCase();
  const rows = D.barriers.filter((b) => (!verdict || b.verdict === verdict) && (!like || `${b.text} ${b.id} ${b.queue}`.toLowerCase().includes(like)));
  const sorted = rows.map((b, i) => [key(b), i, b]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
  if (down) sorted.reverse();
  return sorted.map(([, , b]) => b);
}

function viewBarriers(view) {
  const status = el('span', { role: 'status', class: 'note' });
  const body = el('tbody');
  const heads = BARRIER_COLUMNS.map(([name, words], i) => el('th', { scope: 'col', class: i > 4 ? 'num' : '' }, el('button', { type: 'button', onclick: () => {
    if (barrierTable.by === name) barrierTable.down = !barrierTable.down; else { barrierTable.by = name; barrierTable.down = i > 4; }
    refresh();
  } }, words)));
  const more = el('button', { type: 'button', onclick: () => { barrierTable.shown += 500; refresh(); } }, 'Show more');
  function refresh() {
    const rows = barrierRows();
    status.textContent = `${rows.length} of ${count(D.barriers.length, 'barrier')}`;
    heads.forEach((head, i) => {
      const own = BARRIER_COLUMNS[i][0] === barrierTable.by;
      head.setAttribute('aria-sort', own ? (barrierTable.down ? 'descending' : 'ascending') : 'none');
      head.firstChild.textContent = BARRIER_COLUMNS[i][1] + (own ? (barrierTable.down ? ' ▼' : ' ▲') : '');
    });
    body.replaceChildren(...rows.slice(0, barrierTable.shown).flatMap((b) => barrierRow(b, refresh)));
    more.hidden = rows.length <= barrierTable.shown;
  }
  const verdicts = [...new Set(D.barriers.map((b) => b.verdict))].sort();
  view.append(
    el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Which barriers' },
      el('label', {}, 'verdict', el('select', { id: 'verdict', onchange: (e) => { barrierTable.verdict = e.target.value; refresh(); } }, el('option', { value: '' }, 'every verdict'), verdicts.map((v) => el('option', { value: v, selected: v === barrierTable.verdict }, `${SIGN[v] || ''} ${v}`)))),
      el('input', { type: 'search', placeholder: 'find', 'aria-label': 'Find barriers', value: barrierTable.words, oninput: (e) => { barrierTable.words = e.target.value; refresh(); } }), status),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Barriers', id: 'barriers' }, el('table', {}, el('thead', {}, el('tr', {}, heads)), body), more));
  refresh();
  if (state.sel && barrierOf.has(state.sel)) scrollToRow(body);
  return { changed: (keys) => { if (keys.includes('sel')) { for (const tr of body.children) tr.classList.toggle('selected', tr.dataset.id === state.sel); } }, focus: () => { const b = body.querySelector('button'); if (b) b.focus(); } };
}
function scrollToRow(body) { const tr = [...body.children].find((row) => row.dataset.id === state.sel); if (tr) tr.scrollIntoView({ block: 'center' }); }

function barrierRow(b, refresh) {
  const open = barrierTable.open.has(b.id);
  const num = (ps) => el('td', { class: 'num' }, ps === null ? '–' : time(ps));
  const row = el('tr', { class: `${open ? 'open ' : ''}${b.id === state.sel ? 'selected' : ''}`, 'data-id': b.id },
    el('td', { class: 'num' }, toLine(b.line, String(b.line))),
    el('th', { scope: 'row' }, el('button', { type: 'button', class: 'link', 'aria-expanded': String(open), title: 'Operations and what-ifs', onclick: (e) => {
      if (open) barrierTable.open.delete(b.id); else barrierTable.open.add(b.id);
      set({ sel: b.id }); refresh();
      const again = root.querySelector(`#barriers tr[data-id="${CSS.escape(b.id)}"] button[aria-expanded]`); if (again) again.focus();
    } }, `${open ? '▾' : '▸'} ${b.id}`)),
    el('td', {}, el('bdi', {}, b.queue)), el('td', { class: 'text mono' }, b.text), el('td', {}, word(b.verdict)),
    num(b.drain_ps), num(b.operation_ps), num(b.refill_ps), num(b.exposed_ps), num(b.critical_ps), el('td', { class: 'num' }, withoutSwitch(b.id, true)));
  if (!open) return [row];
  return [row, el('tr', { class: 'more' }, el('td', { colspan: String(BARRIER_COLUMNS.length) }, ...barrierMore(b), el('p', {}, toTimeline(b.id, 'Show in the timeline'))))];
}
