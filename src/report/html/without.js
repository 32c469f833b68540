// With and without: the run without a barrier next to the run as written, on one axis.

// Wrong reads of copies, by row: row, moment, sentence.
const misreads = new Map();
let copyTimeline = null;

// The copy without a barrier, by the id of one of its executions, or by `line N` where it has none.
function copyOf(id) { return X ? X.without.rows.find((c) => c.barriers.includes(id) || (!c.barriers.length && id === `line ${c.line}`)) : undefined; }
function comparing() { return Boolean(X) && state.without !== '' && state.without !== 'off'; }
function comparedCopy() { return comparing() ? copyOf(state.without) : undefined; }
function comparedRun() { const copy = comparedCopy(); return copy && copy.timeline ? runOf(copy) : null; }
function compareWithout(id) { set({ without: id, view: 'timeline' }); }
// A page that begins with a copy remembers that it was closed.
function endComparing() { set({ without: X.without.opened ? 'off' : '' }); }

// The run of a copy. Its packets become rows of `P`: those that only have another time are made of the rows as written.
function runOf(copy) {
  if (copy.run) return copy.run;
  const T = copy.timeline, first = P.id.length;
  const later = new Map(), changed = new Map(T.changed.map((c) => [c[0], c]));
  for (const [from, n, by] of T.moved) for (let i = 0; i < n; i += 1) later.set(from + i, by);
  const packets = [...later.keys(), ...changed.keys()].sort((a, b) => a - b);
  const at = new Map(packets.map((packet, i) => [packet, first + i]));
  const rowAt = (packet) => at.get(packet) ?? -1;
  for (const packet of packets) {
    const row = at.get(packet), extra = packet < WRITTEN ? null : T.extra[packet - WRITTEN];
    ['id', 'label', 'line', 'track', 'kind'].forEach((name, i) => { P[name][row] = extra ? extra[i] : P[name][packet]; });
    const by = later.get(packet);
    const [, queued, start, finish, spans, stages, after, because] = changed.get(packet) || [0, P.queued[packet] + by, P.start[packet] + by, P.end[packet] + by,
      spansOf(packet).map(([a, b, ...rest]) => [a + by, b + by, ...rest]), (P.stages[packet] || []).map(([name, a, b]) => [name, a + by, b + by]), P.after[packet], P.because[packet]];
    Object.entries({ queued, start, end: finish, stages, because, after: rowAt(after), spans: spans.map((s) => [...s.slice(0, 4), rowAt(s[4])]) }).forEach(([name, value]) => { P[name][row] = value; });
    if (P.after[row] >= 0) push(byRow.waiters, P.after[row], row);
  }
  for (const packet of T.never) never.add(rowAt(packet));
  for (const [packet, says, behind] of T.open) open.set(rowAt(packet), { says: W[says], behind: rowAt(behind) });
  const byId = new Map();
  for (const packet of packets) if (P.kind[at.get(packet)] !== 'c') byId.set(P.id[at.get(packet)], at.get(packet));
  copy.run = {
    rows: packets.map((packet) => at.get(packet)), until: T.until_ps, exposed: T.exposed,
    arrows: T.arrows.map(([a, b, ...rest]) => [rowAt(a), rowAt(b), ...rest]),
    pairs: T.hazards.map(([a, t, b, u]) => [rowAt(a), t, rowAt(b), u, -1]),
    misreads: copy.wrong.map(([id, t, , , says]) => [byId.get(id) ?? -1, t, W[says]]),
    selected: () => (selected() < 0 ? -1 : rowAt(selected())),
  };
  for (const one of copy.run.misreads) push(misreads, one[0], one);
  flagsOf(0);
  flag(copy.run);
  return copy.run;
}

function copyName({ barriers: [first, second, ...more], line, end_line: last }) {
  const ids = !first ? '' : !second ? `${first}, ` : more.length ? `${first} and ${more.length + 1} more, ` : `${first} and ${second}, `;
  return `${ids}${last ? `lines ${line} and ${last}` : `line ${line}`}`;
}
// How much less or more the run takes without a barrier.
function signed(ps) { return ps === 0 ? '±0 ns' : `${ps < 0 ? '−' : '+'}${time(Math.abs(ps))}`; }
function withoutDifference(id) { const copy = copyOf(id); return copy && copy.makespan_ps !== null ? copy.makespan_ps - D.makespan_ps : Infinity; }
// What makes a page with a copy, where this page has none.
function madeBy(id) { return `${X.without.command}${id} --out without.html`; }

// The switch of a barrier.
function withoutSwitch(id, isShort = false) {
  if (!X) return '';
  const copy = copyOf(id), is = Boolean(copy) && comparedCopy() === copy;
  if (!copy && !isShort) return el('span', { class: 'note' }, 'Without it: this page has no such run. ', el('code', {}, madeBy(id)), ' makes a page with one.');
  const wrong = copy ? Math.max(copy.wrong.length, copy.more_bad_reads) : 0;
  const brief = !copy ? 'no copy' : copy.breaks.length ? 'impossible' : `${signed(withoutDifference(id))}${wrong ? ` ⊗${wrong}` : ''}${copy.new.some((f) => f[2] === 'hazard' || f[2] === 'error') ? ' ✖' : ''}`;
  return el('button', { type: 'button', class: 'without', 'data-without': id, 'aria-pressed': String(is), title: copy ? `Without it: ${visible(W[copy.says], 300)}` : `This page has no such run: ${madeBy(id)}`,
    onclick: () => { if (is) endComparing(); else compareWithout(id); } }, isShort ? brief : is ? 'Close the run without it (w)' : `Show the run without it (w): ${brief}`);
}

// What the timeline view shows: one timeline, or two below each other with what differs.
function beside(host) {
  if (!comparing()) return [host];
  const copy = comparedCopy();
  const close = el('button', { type: 'button', id: 'end-without', onclick: endComparing }, 'Close (Esc)');
  if (!copy) {
    return [el('div', { class: 'compared', id: 'without-says' }, el('span', {}, `This page has no run without ${state.without}: it has more than ${X.without.commands_max} commands, or no such barrier. `, el('code', {}, madeBy(state.without)), ' makes a page with one.'), close), host];
  }
  const says = el('div', { class: 'compared', id: 'without-says', role: 'status' }, el('span', { class: copy.wrong.length || copy.breaks.length ? 'hazard' : '' }, el('b', {}, `Without ${copyName(copy)}: `), W[copy.says]), close);
  if (copy.breaks.length) return [says, host];
  const title = (words, ps, more = '') => el('h3', {}, words, ps === null ? '' : `: ${time(ps)}`, more);
  const below = [title(`Without ${copyName(copy)}`, copy.makespan_ps, ` (${signed(copy.makespan_ps - D.makespan_ps)})`),
    copy.timeline ? el('div', { id: 'timeline-without' }) : el('p', { class: 'note pad' }, 'This page has no room for its timeline. ', el('code', {}, madeBy(copy.barriers[0])), ' makes a page with it.')];
  return [says, el('div', { class: 'pair' }, title('As written', D.makespan_ps), host, below), el('div', { class: 'compared-lists', id: 'compared', tabindex: '0', role: 'region', 'aria-label': 'What differs' }, comparedFindings(copy), ...comparedReads())];
}

function comparedFindings(copy) {
  const row = (isNew) => ([rule, name, severity, line, message, isVisible, how]) => el('li', { class: isNew ? severity : 'needed' },
    el('b', {}, `${isNew ? '✖' : '✓'} ${how}: `), toLine(line, `${rule} ${name}`), `, line ${line}: ${W[message]}`,
    isVisible === null ? '' : isVisible ? el('b', {}, '; visible here') : '; this run does not show it');
  return el('div', { id: 'compared-findings' }, el('h3', {}, 'Findings'),
    copy.new.length + copy.gone.length ? el('ul', {}, copy.new.map(row(true)), copy.gone.map(row(false))) : el('p', { class: 'note' }, 'The same with and without it.'),
    copy.mended.length ? el('p', {}, `✓ ${count(copy.mended.length, 'read')} of the run as written ${copy.mended.length === 1 ? 'goes' : 'go'} wrong and find${copy.mended.length === 1 ? 's' : ''} the right contents without it.`) : '');
}

// Which version each read finds, with the barrier and without it.
function comparedReads() {
  const copy = comparedCopy();
  if (!copy || copy.breaks.length) return [];
  const named = (w) => { const row = rowOf.get(W[w]); return row === undefined ? W[w] : `${shortName(row)} (${W[w]})`; };
  const cell = (all) => el('td', {}, all.length ? all.map(([version, by, places, wrong, expected]) => el('span', { class: `held${wrong ? ' old' : ''}` },
    wrong ? el('b', { class: 'hazard' }, `✗ ${W[wrong]}: `) : '', `version ${version}, ${by && W[by] !== 'initial contents' ? `of ${named(by)}` : 'initial contents'}${places.length ? `, in ${places.map((p) => W[p]).join(', ')}` : ''}`, wrong ? `; not that of ${named(expected)}` : '')) : el('span', { class: 'note' }, 'nothing that somebody writes'));
  const rows = copy.reads.map(([id, resource, a, b, isSame]) => el('tr', { class: isSame ? '' : 'differs' }, el('th', { scope: 'row' }, el('span', { class: 'sign' }, isSame ? '=' : '≠'), toTimeline(id, rowOf.has(id) ? `${shortName(rowOf.get(id))} (${id})` : id)), el('td', {}, W[resource]), cell(a), cell(b)));
  const untold = copy.untold.map((w) => el('p', { class: 'note' }, `Of the reads: ${W[w]}`));
  if (!rows.length) return untold.length ? untold : [el('p', { class: 'note' }, 'No read finds what somebody writes.')];
  return [...untold, el('table', { class: 'compared-reads' }, el('caption', {}, `Which version each read finds, with and without ${copyName(copy)}`), el('thead', {}, el('tr', {}, ['read by', 'resource', 'as written', 'without it'].map((w) => el('th', { scope: 'col' }, w)))), el('tbody', {}, rows)),
    ...(copy.more_reads + copy.same_reads ? [el('p', { class: 'note' }, [copy.more_reads ? `${count(copy.more_reads, 'more read')} differ. ` : '', copy.same_reads ? `${count(copy.same_reads, 'more read')} find${copy.same_reads === 1 ? 's' : ''} the same in both.` : ''])] : [])];
}
