// What happened, above every view: a sentence a finding, what its two uses have and lack, whether this machine shows it, and
// the change that mends it.

// Findings of which the strip tells at once.
const TOLD = 3;

// What is between the quotation marks of a label.
function nameOf(party) { return party.label.replace(/^\w[\w-]* "(.*)"$/, '$1'); }

// A finding in one sentence, as one would say it to a class.
function sentence(f) {
  if (!f.first || !f.second) return f.message;
  const [one, two, what] = [`${nameOf(f.first)} (1)`, `${nameOf(f.second)} (2)`, f.resource];
  const does = {
    HZ101: `${two} reads ${what}, which ${one} wrote`,
    HZ102: `${two} overwrites ${what}, which ${one} reads`,
    HZ103: `${two} overwrites ${what}, which ${one} wrote`,
    HZ201: `nothing orders ${two} and ${one}, which both use ${what}, and one of them writes it`,
    HZ202: `nothing orders ${two} and ${one}, which both write ${what}`,
  }[f.rule];
  if (!does) return f.message;
  const why = lacks(f);
  return why ? `${does}; ${why}` : does;
}

// What of the chain between the two is broken, where the report says so.
function lacks(f) {
  for (const r of f.related) {
    const at = r.label.search(/✗ \w+: /);
    // Between queues it is a wait that is meant.
    const who = f.rule.startsWith('HZ2') ? 'line' : 'the barrier at line';
    if (at >= 0) return `${who} ${r.line}: ${r.label.slice(at).replace(/^✗ \w+: /, '')}`;
  }
  const note = f.notes.find((n) => /^(✗|no barrier|`[^`]*` waits for no fence)/.test(n));
  return note ? note.replace(/^✗ \w+: /, '').replace(/`/g, '') : '';
}

// Order, visibility and layout: given, missing, or not needed.
function linkMarks(links) {
  const mark = (name, has) => {
    const [kind, says, title] = has === true ? ['needed', `${name} ✓`, 'the text gives it'] : has === false ? ['hazard', `${name} ✗`, 'missing'] : ['note', `${name}: not needed`, 'these two uses do not need it'];
    return el('span', { class: `link-mark ${kind}`, title: `${name}: ${title}` }, says);
  };
  return [mark('order', links.order), mark('visibility', links.visibility), mark('layout', links.layout)];
}

// Why a machine shows a hazard or hides it, as the comparison of profiles says it.
function whyHere(f) {
  const others = X && X.others;
  const at = others ? others.profiles.findIndex((p) => p.profile === D.profile) : -1;
  const row = at < 0 ? null : others.hazards.find((h) => h.rule === f.rule && h.line === f.line && h.resource === f.resource);
  return row && row.on[at][0] === f.visible ? row.on[at][1] : '';
}

// Whether this run shows it, and why.
function shownHere(f, i) {
  if (f.visible === null || f.visible === undefined || !D.profile) return '';
  const evidence = f.notes.find((n) => n.startsWith('seen in this run: '));
  if (f.visible) return el('span', {}, el('b', { class: 'hazard' }, `visible on ${D.profile}`), evidence ? `: ${evidence.slice(18)}` : '');
  const known = whyHere(f);
  if (known) return el('span', {}, el('b', {}, `hidden on ${D.profile}`), `: ${known}`, f.spec_invalid ? '; invalid on every GPU' : '');
  const met = D.meetings.find((m) => m.finding === i);
  const luck = f.second && /^HZ(102|103|202)$/.test(f.rule) ? 'no read saw the wrong contents' : '(2) found what it needs';
  const why = !met ? 'no read of this run went wrong'
    : met.first_ps <= met.second_ps ? `(1) had ended ${time(met.second_ps - met.first_ps)} before (2) began, and ${luck}`
      : `the two overlapped, and yet ${luck}`;
  return el('span', {}, el('b', {}, `hidden on ${D.profile}`), `: ${why}`, f.spec_invalid ? '; invalid on every GPU' : '');
}

function storyItem(f, i) {
  const open = () => { if (f.second && rowOf.has(f.second.command)) { set({ sel: f.second.command, finding: i }); if (mainTimeline && state.view === 'timeline') mainTimeline.reveal(rowOf.get(f.second.command)); } else show('source', { finding: i, line: f.line }); };
  return el('li', { class: f.severity, 'data-finding': i, 'aria-current': state.finding === String(i) ? 'true' : null },
    el('div', { class: 'said' }, el('span', { class: 'sign' }, SIGN[f.severity] || ''), el('button', { type: 'button', class: 'link', title: `${f.rule} ${f.name}: show it`, onclick: open }, sentence(f)), f.repeats > 1 ? el('span', { class: 'note' }, `\u00a0(${f.repeats} times)`) : ''),
    el('div', { class: 'more' }, el('span', { class: 'note' }, `${f.rule}, line ${f.line}`), f.links ? linkMarks(f.links) : '', shownHere(f, i),
      f.help ? el('span', {}, f.diff.length ? el('button', { type: 'button', class: 'link', title: 'Show the change in the text', onclick: () => show('source', { finding: i, line: f.line }) }, 'fix') : 'help', `: ${f.help}`) : ''));
}

// The comment before the first statement: what the scene is there to show.
function opening() {
  const words = [];
  for (const line of D.text.split('\n')) {
    if (/^\s*$/.test(line) && !words.length) continue;
    const said = /^\s*\/\/+\s?(.*)$/.exec(line);
    if (!said || said[1].startsWith('~')) break;
    words.push(said[1]);
  }
  return words.join('\n').split(/\n\s*\n/).map((p) => p.replace(/\s*\n\s*/g, ' ').trim()).filter(Boolean);
}

const RANK = ['error', 'hazard', 'warning', 'advice'];

function story() {
    const list = el('ul', {});
  const more = el('button', { type: 'button', id: 'story-more', onclick: () => { all = !all; fill(); } });
  let all = false;
  const fill = () => {
    const wanted = D.findings.map((f, i) => [f, i]).filter(([f]) => state.kind === '' || f.severity === state.kind);
    wanted.sort(([a, i], [b, j]) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity) || i - j);
    list.replaceChildren(...wanted.slice(0, all ? 50 : TOLD).map(([f, i]) => storyItem(f, i)));
    const rest = wanted.length - TOLD;
    more.hidden = rest <= 0;
    more.textContent = all ? 'Show fewer' : `Show ${Math.max(0, Math.min(rest, 47))} more${rest > 47 ? ` of ${rest}` : ''}`;
  };
  const comment = opening();
  const node = el('section', { id: 'story', 'aria-label': 'What happened' },
    comment.length ? el('details', { id: 'opening' }, el('summary', {}, comment[0]), comment.slice(1).map((p) => el('p', {}, p))) : '',
    D.severities.some(([kind]) => kind === 'error' || kind === 'hazard') ? '' : el('p', { class: 'fine' }, '✓ No errors and no hazards.'), list, more);
  fill();
  listeners.push((changed) => { if (changed.includes('finding') || changed.includes('kind')) fill(); });
  return node;
}

// Counts that are buttons: only findings of that kind are told of, all if it is pressed again.
function counts() {
  const buttons = RANK.flatMap((kind) => D.severities.filter(([known]) => known === kind)).map(([kind, n]) => el('button', { type: 'button', class: `count ${kind}`, 'data-kind': kind, 'aria-pressed': 'false', title: `Tell of findings of this kind only: ${kind}`, onclick: () => set({ kind: state.kind === kind ? '' : kind }) }, `${SIGN[kind] || ''} ${kind === 'advice' ? `${n} advice` : count(n, kind)}`));
  const mark = () => buttons.forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.kind === state.kind)));
  mark();
  listeners.push((changed) => { if (changed.includes('kind')) mark(); });
  return buttons;
}
