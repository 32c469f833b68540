// What is known about the selected command or barrier.

function goTo(row, words) {
  return el('button', { type: 'button', class: 'link', onclick: () => { select(row); if (mainTimeline && state.view === 'timeline') mainTimeline.reveal(row); } }, words || `${label(row)} (${P.id[row]})`);
}
function toLine(line, words) {
  return el('button', { type: 'button', class: 'link', onclick: () => show('source', { line }) }, words || `line ${line}`);
}
function toTimeline(id, words) {
  if (!rowOf.has(id)) return el('span', {}, words || id);
  return el('button', { type: 'button', class: 'link', title: 'Show in the timeline', onclick: () => { set({ sel: id }); show('timeline'); if (mainTimeline) mainTimeline.reveal(rowOf.get(id)); } }, words || id);
}

// What has happened of a packet up to a time: what, and when.
function soFar(row, until) {
  const all = [];
  if (never.has(row) || from(row) > until) return all;
  if (P.queued[row] < began(row)) all.push(['taken up', time(P.queued[row])]);
  if (began(row) <= until) all.push(['from', time(began(row))]);
  if (!open.has(row) && to(row) <= until) all.push(['to', time(to(row))], ['takes', time(to(row) - began(row))]);
  return all;
}
// The details of a run that is told up to a time.
function detailsSoFar(row, until) {
  if (row < 0) return [el('h2', {}, 'Details'), el('p', { class: 'note' }, 'What has happened so far, of what is selected.')];
  const fact = (name, value) => [el('dt', {}, name), el('dd', {}, value)];
  const life = spansOf(row).filter((s) => s[0] < until).map((s) => [s[0], Math.min(s[1], until), ...s.slice(2)]);
  const told = toldEvents().filter((e) => e.row === row);
  return [
    el('h2', {}, label(row)),
    el('dl', {}, fact('id', P.id[row]), fact('queue', trackName(row)), fact('text', toLine(P.line[row])), soFar(row, until).map(([name, value]) => fact(name, value))),
    life.length ? el('h3', {}, 'Its time so far') : '', el('ul', {}, life.slice(0, 40).map((s) => el('li', {}, saySpan(s)))),
    told.length ? el('h3', {}, 'Told of it') : '', el('ul', {}, told.slice(-12).map((e) => el('li', {}, W[e.says]))),
  ];
}

function details(aside) {
  const row = selected();
  const until = toldUntil();
  if (until !== null) { aside.replaceChildren(...detailsSoFar(row, until)); return; }
  if (row < 0) {
    aside.replaceChildren(el('h2', {}, 'Details'), el('p', { class: 'note' }, X
      ? 'Select a command or a barrier: with a click, or with the arrow keys in a view.'
      : 'Nothing was simulated: the text has errors that come first.'), ...summary());
    return;
  }
  const id = P.id[row];
  const barrier = barrierOf.get(id);
  const command = commandOf.get(id);
  const fact = (name, value) => (value === null || value === undefined || value === '' ? [] : [el('dt', {}, name), el('dd', {}, value)]);
  if (open.has(row) || never.has(row)) { aside.replaceChildren(...describe(row), ...about(row)); return; }
  const after = P.after[row];
  const waiters = byRow.waiters.get(row) || [];
  aside.replaceChildren(
    el('h2', {}, label(row)),
    el('dl', {},
      fact('id', id), fact('queue', trackName(row)), fact('text', toLine(P.line[row])),
      fact('taken up', P.queued[row] < began(row) ? time(P.queued[row]) : null),
      fact('from', time(began(row))), fact('to', time(to(row))), fact('takes', time(to(row) - began(row))),
      fact('slack', command && P.kind[row] === 'w' && command.slack_ps !== null ? time(command.slack_ps) : null),
      fact('critical', sayCritical(row)),
      fact('after', after >= 0 ? [goTo(after), ` – ${W[P.because[row]]}`] : 'nothing')),
    waiters.length ? el('h3', {}, `Waited for it (${waiters.length})`) : '',
    el('ul', {}, waiters.slice(0, 8).map((r) => el('li', {}, goTo(r), ` – ${W[P.because[r]]}`)), waiters.length > 8 ? el('li', { class: 'note' }, `and ${waiters.length - 8} more`) : ''),
    ...(barrier ? barrierMore(barrier) : []),
    ...seen(command),
    ...life(row),
    ...about(row));
}

// What the words for parts of the time mean, for who points at one.
const MEANS = {
  work: 'a stage made progress', shared: 'work took longer, because other work used the same shader cores or bandwidth', launch: 'the front end of a queue took it up',
  latency: 'it flowed from one stage to the next', wait: 'the fixed cost of waiting and going on', drain: 'a barrier waited for earlier work', clean: 'dirty lines of a cache were written back (a flush)',
  invalidate: 'lines of a cache were dropped', layout: 'a texture was stored another way: cleared, decompressed, initialised', refill: 'lines that a barrier had dropped were fetched again', resume: 'work that a barrier had held started again',
  client: 'the CPU or the display worked', signal: 'a fence was set', barrier: 'a barrier held it', fence: 'it waited for a fence',
};

function summary() {
  const causes = D.critical_causes || [];
  if (!D.makespan_ps) return [];
  return [
    el('h3', {}, 'Where the time went'),
    el('p', { class: 'note' }, 'The critical path, by what was done.'),
    el('table', {}, el('tbody', {}, causes.map((c) => el('tr', {}, el('td', { title: MEANS[c.did] }, c.did), el('td', { class: 'num' }, time(c.time_ps)), el('td', { class: 'num' }, c.permille === undefined ? '' : `${(c.permille / 10).toFixed(1)} %`))))),
  ];
}

function life(row) {
  const spans = P.spans[row] || [];
  if (!spans.length) return [];
  return [el('h3', {}, 'Its time'), el('ul', {}, spans.slice(0, 40).map((s) => el('li', {}, saySpan(s), s[4] >= 0 ? [' ', goTo(s[4], 'show')] : '')))];
}

function seen(command) {
  if (!command || !command.observations.length) return [];
  return [el('h3', { class: 'hazard' }, '⚠ Bad reads'), el('ul', {}, command.observations.map((o) => el('li', {},
    `${o.kind}: ${bytes(o.bytes)} of ${o.resource} from ${o.from}: saw ${o.saw}, not ${o.expected}`)))];
}

function about(row) {
  const all = findingsOf(row);
  if (!all.length) return [];
  return [el('h3', {}, 'Findings'), ...all.slice(0, 12).map((i) => {
    const f = D.findings[i];
    return el('p', {}, word(f.severity), ' ', el('button', { type: 'button', class: 'link', onclick: () => show('source', { finding: i, line: f.line }) }, `${f.rule} ${f.name}`), `: ${f.message}`);
  })];
}

// What a barrier was lowered to, and what it would cost to change it.
function barrierMore(b) {
  const tried = !X ? [] : X.what_ifs.length ? X.what_ifs : X.without.rows;
  const whatIf = tried.filter((r) => r.line === b.line || r.end_line === b.line);
  const savings = D.findings.filter((f) => f.line === b.line && f.rule.startsWith('RD'));
  return [
    el('p', {}, word(b.verdict), ` ${b.why}`),
    el('p', {}, withoutSwitch(b.id)),
    el('h3', {}, 'Operations'),
    b.operations.length ? el('ul', {}, b.operations.map((o) => el('li', {}, el('b', {}, `${o.op} ${o.target}`), `: ${o.why}`))) : el('p', { class: 'note' }, 'none on this machine'),
    el('h3', {}, 'What if'),
    el('ul', {},
      whatIf.map((r) => {
        if (r.makespan_ps === null) return el('li', {}, r.impossible || W[r.says]);
        const less = D.makespan_ps - r.makespan_ps;
        return el('li', {}, `deleted: the run takes ${time(r.makespan_ps)}, ${less === 0 ? 'the same' : less > 0 ? `${time(less)} less` : `${time(-less)} more`}; `,
          r.more_bad_reads ? el('span', { class: 'hazard' }, `⚠ ${count(r.more_bad_reads, 'more read')} wrong`) : 'no more reads go wrong on this profile');
      }),
      savings.map((f) => el('li', {}, `${f.name}: ${f.help || f.message}`, f.diff.length ? diffBlock(f) : '')),
      !savings.length ? el('li', { class: 'note' }, 'Narrower, split or moved barriers are tried where a finding RD proposes them: no finding does here.') : ''),
  ];
}

function diffBlock(f) {
  return el('div', { class: 'diff mono', role: 'group', 'aria-label': 'Suggested change' }, f.diff.map((hunk) => [
    hunk.old.map((line, i) => el('div', { class: 'del' }, `− ${String(hunk.line + i).padStart(4)} ${line}`)),
    hunk.new.map((line) => el('div', { class: 'add' }, `+      ${line}`)),
  ]));
}
