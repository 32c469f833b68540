// The text with findings where they are.

const LINES = D.text.split('\n');
const WINDOW = 1500;
const atLine = new Map();
D.findings.forEach((f, i) => push(atLine, f.line, i));
const ofLine = new Map();
if (P) P.line.forEach((line, row) => { if (!ofLine.has(line)) ofLine.set(line, row); });
let sourceFrom = 1;

function viewSource(view) {
  const lines = el('div', { class: 'lines' });
  const host = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Scenario text with findings', id: 'source' }, lines);
  const kinds = [...new Set(D.findings.map((f) => f.severity))];
  const shown = new Set(kinds);
  const status = el('span', { role: 'status', class: 'note' });
  const fill = () => {
    const last = Math.min(LINES.length, sourceFrom + WINDOW - 1);
    const nodes = [];
    if (sourceFrom > 1) nodes.push(el('button', { type: 'button', onclick: () => { sourceFrom = Math.max(1, sourceFrom - WINDOW); fill(); } }, `Lines before ${sourceFrom}`));
    for (let n = sourceFrom; n <= last; n += 1) nodes.push(...sourceLine(n, shown));
    if (last < LINES.length) nodes.push(el('button', { type: 'button', onclick: () => { sourceFrom = last + 1; fill(); host.scrollTop = 0; } }, `Lines after ${last} of ${LINES.length}`));
    if (D.text_is_cut) nodes.push(el('p', { class: 'pad note' }, `Only the start of ${D.file} is in this page.`));
    lines.replaceChildren(...nodes);
    status.textContent = `${count(LINES.length, 'line')}, ${count(D.findings.filter((f) => shown.has(f.severity)).length, 'finding')}`;
  };
  const jump = (by) => {
    const all = D.findings.map((f, i) => i).filter((i) => shown.has(D.findings[i].severity));
    if (!all.length) return;
    const at = all.indexOf(Number(state.finding || -1));
    const next = all[(at + by + (at < 0 && by < 0 ? 1 : 0) + all.length) % all.length];
    set({ finding: next, line: D.findings[next].line });
  };
  view.append(el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Findings' },
    el('button', { type: 'button', onclick: () => jump(-1) }, '▲ Finding before'), el('button', { type: 'button', onclick: () => jump(1) }, '▼ Next finding'),
    kinds.map((k) => el('label', {}, el('input', { type: 'checkbox', checked: true, onchange: (e) => { if (e.target.checked) shown.add(k); else shown.delete(k); fill(); } }), word(k))), status), host);
  host.addEventListener('keydown', (e) => {
    if (e.key === 'n' || e.key === 'p') { jump(e.key === 'n' ? 1 : -1); e.preventDefault(); }
    if (e.key === 't' && state.sel) { toTimeline(state.sel).click(); e.preventDefault(); }
  });
  const goLine = () => {
    const row = selected();
    const line = Number(state.line) || (row >= 0 ? P.line[row] : 0);
    if (line && (line < sourceFrom || line >= sourceFrom + WINDOW)) { sourceFrom = Math.max(1, line - 200); fill(); }
    const of = row >= 0 ? P.line[row] : 0;
    for (const node of lines.children) {
      if (node.dataset.line) node.classList.toggle('selected', Number(node.dataset.line) === line || Number(node.dataset.line) === of);
      if (node.dataset.finding) node.classList.toggle('selected', node.dataset.finding === state.finding);
    }
    const target = (state.finding !== '' && lines.querySelector(`[data-finding="${Number(state.finding)}"]`)) || lines.querySelector(`[data-line="${line}"]`);
    if (target) target.scrollIntoView({ block: 'center' });
  };
  fill();
  goLine();
  return { changed: (keys) => { if (keys.some((k) => ['line', 'finding', 'sel'].includes(k))) goLine(); }, focus: () => host.focus() };
}

function sourceLine(n, shown) {
  const found = (atLine.get(n) || []).filter((i) => shown.has(D.findings[i].severity));
  const row = ofLine.get(n);
  const text = LINES[n - 1].replace(/\r$/, '');
  const line = el('div', { class: `l${found.length ? ' has' : ''}`, 'data-line': String(n) },
    el('span', {}, row === undefined ? String(n) : el('button', { type: 'button', title: `Show ${visible(label(row), 60)} in the timeline`, 'aria-label': `Line ${n}: show in the timeline`, tabindex: '-1', onclick: () => toTimeline(P.id[row]).click() }, `${n}`)),
    el('span', {}, visible(text, 2000) || ' '));
  return [line, ...found.map(findingBlock)];
}

function findingBlock(i) {
  const f = D.findings[i];
  const side = (number, s) => s && el('div', {}, `(${number}) `, toTimeline(s.command, `${s.label} (${s.command})`), ` on ${s.queue}, `, toLine(s.line), s.access ? `: ${s.access}` : '', s.stage ? ` @ ${s.stage}` : '');
  const seen = f.visible === true ? 'a read of this run went wrong because of it' : f.visible === false ? 'no read of this run went wrong: luck of this machine' : '';
  return el('section', { class: `finding ${f.severity}`, 'data-finding': String(i), 'aria-label': visible(`${f.severity} ${f.rule} on line ${f.line}`) },
    el('div', { class: 'head' }, word(f.severity), ` ${f.rule} ${f.name}`, f.repeats > 1 ? ` (${f.repeats} times)` : ''),
    el('p', {}, f.message),
    f.first ? el('div', { class: 'sides' }, side(1, f.first), side(2, f.second)) : '',
    seen || f.spec_invalid ? el('p', { class: 'note' }, [f.spec_invalid ? 'invalid by specification, on every GPU' : '', seen].filter(Boolean).join('; ')) : '',
    f.notes.length ? el('ul', {}, f.notes.map((n) => el('li', {}, n))) : '',
    f.related.length ? el('ul', {}, f.related.map((r) => el('li', {}, toLine(r.line), `: ${r.label}`))) : '',
    f.help ? el('p', {}, el('b', {}, 'Fix: '), f.help, f.diff.length ? ' (verified on a copy)' : '') : '',
    f.diff.length ? diffBlock(f) : '');
}
