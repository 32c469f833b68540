// Step by step: what happens, in a sentence each; first asked, then told, if that is wanted. Nothing is shown of what comes later.

let stepTimeline = null;
const asking = { on: false, told: true, chosen: -1 };
// What a choice of kinds shows.
const STEP_KINDS = [['', 'every step'], ['submitted starts', 'commands'], ['held released fence never-ends never-starts', 'waits and fences'],
  ['reads write-ends cleaned dropped rewritten', 'reads, writes and caches'], ['hazard', 'hazards']];

function stepNow() { return Math.min(X.events.length - 1, Math.max(0, Number(state.step) || 0)); }
// The steps that have been told: while a question is open, its step has not.
function toldEvents() { return X.events.slice(0, stepNow() + (asking.told ? 1 : 0)); }
// Up to when the run is told; null where all of it is shown.
function toldUntil() {
  if (!X || state.view !== 'steps' || !X.events.length) return null;
  const all = toldEvents();
  return all.length ? all[all.length - 1].at : 0;
}

function viewSteps(view) {
  const E = X.events;
  if (!E.length) { view.append(el('p', { class: 'pad' }, 'Nothing is told step by step.')); return {}; }
  const host = el('div', { id: 'steps-timeline', css: { flex: '1', 'min-height': '160px' } });
  const when = el('b', { class: 'mono', id: 'step-when' });
  const ask = el('p', { class: 'ask', id: 'step-ask' });
  const choices = el('div', { class: 'choices', id: 'choices', role: 'group', 'aria-label': 'Choices' });
  const reveal = el('button', { type: 'button', id: 'reveal', onclick: () => tell(-1) }, 'Show the answer');
  const verdict = el('p', { class: 'ask', id: 'step-verdict', 'aria-live': 'polite' });
  const told = el('div', { class: 'told', 'aria-live': 'polite', id: 'step-told' });
  const hard = el('select', { id: 'step-kinds', 'aria-label': 'Which steps', onchange: () => refresh() }, STEP_KINDS.map(([v, w]) => el('option', { value: v }, w)));
  const fits = (e) => hard.value === '' || hard.value.split(' ').includes(W[e.kind]);
  const tell = (chosen) => { Object.assign(asking, { told: true, chosen }); refresh(); };
  const come = (i) => { Object.assign(asking, { told: !(asking.on && E[i].ask), chosen: -1 }); if (i === stepNow()) refresh(); else set({ step: i }); };
  const go = (by) => {
    if (!asking.told && by > 0) { tell(-1); return; }
    for (let i = stepNow() + by; i >= 0 && i < E.length; i += by) if (fits(E[i])) { come(i); return; }
  };
  const button = (words, name, act, id) => el('button', { type: 'button', 'aria-label': name, title: name, onclick: act, id }, words);
  const caches = X.diagram.boxes.length ? cachesPanel() : null;
  const asCaches = el('button', { type: 'button', id: 'show-caches', 'aria-pressed': 'false', title: 'Which version is in which cache (c)', disabled: !caches, onclick: () => set({ caches: state.caches ? '' : '1' }) }, 'Caches');
  const predict = el('button', { type: 'button', id: 'predict', 'aria-pressed': 'false', onclick: () => { asking.on = !asking.on; come(stepNow()); } }, 'Ask first');
  view.append(
    el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Steps' }, button('|◀', 'First step', () => come(0)), button('◀ Previous', 'Previous step', () => go(-1), 'previous'), button('Next ▶', 'Next step', () => go(1), 'next'),
      button('▶|', 'Last step', () => come(E.length - 1)), predict, asCaches, hard, when),
    el('div', { class: 'pad' }, ask, choices, reveal, verdict, told), caches ? caches.host : '', host);
  stepTimeline = new Timeline(host, { id: 'steps', compact: true, told: true });
  stepTimeline.fit();

  // The question, its choices, and what the answer was.
  function question(e) {
    const [words, all, answer, because] = e.ask || [0, [], -1, 0];
    ask.hidden = choices.hidden = !asking.on || !e.ask;
    ask.textContent = visible(W[words], 500);
    choices.replaceChildren(...all.map((w, i) => el('button', { type: 'button', disabled: asking.told, class: asking.told && i === answer ? 'right' : '', onclick: () => tell(i) },
      `${asking.told ? (i === answer ? '✓ ' : i === asking.chosen ? '✗ ' : '') : ''}${W[w]}`)));
    reveal.hidden = asking.told;
    verdict.hidden = !asking.on || !e.ask || !asking.told;
    verdict.textContent = `${asking.chosen < 0 ? '' : asking.chosen === answer ? 'Right. ' : 'No. '}${visible(W[because], 800)}`;
  }
  function refresh() {
    const i = stepNow(), e = E[i], at = toldUntil();
    when.textContent = asking.told ? `${time(e.at)} · step ${i + 1} of ${E.length}` : `after ${time(at)} · step ${i + 1} of ${E.length}`;
    predict.setAttribute('aria-pressed', String(asking.on));
    question(e);
    const isOpen = Boolean(caches && state.caches);
    asCaches.setAttribute('aria-pressed', String(isOpen));
    // The diagram takes the width of the details.
    root.querySelector('main').classList.toggle('wide', isOpen);
    told.classList.toggle('brief', isOpen);
    host.style.setProperty('min-height', isOpen ? '110px' : '160px');
    if (caches) { caches.host.hidden = !isOpen; if (isOpen) caches.draw(i, asking.told); }
    told.replaceChildren(...(asking.told ? [el('p', { class: W[e.kind] === 'hazard' ? 'hazard' : '' }, W[e.says]), el('p', {}, toLine(e.line), ' ',
      e.moment >= 0 ? el('button', { type: 'button', class: 'link', onclick: () => show('memory', { at: e.moment }) }, 'memory at this moment') : '')] : []));
    stepTimeline.cursor = at;
    if (at < stepTimeline.t0 || at > stepTimeline.t1) stepTimeline.window(at - (stepTimeline.t1 - stepTimeline.t0) / 2, stepTimeline.t1 - stepTimeline.t0);
    if (asking.told) { select(e.row); if (e.row >= 0 && from(e.row) <= at) stepTimeline.reveal(e.row); } else select(-1);
    stepTimeline.draw();
    details(byId('details'));
  }
  view.addEventListener('keydown', (e) => {
    if (e.target.closest('select, input, .track-host')) return;
    if (e.key === 'ArrowRight' || e.key === 'n') { go(1); e.preventDefault(); }
    if (e.key === 'ArrowLeft' || e.key === 'p') { go(-1); e.preventDefault(); }
    if (e.key === 'a') { predict.click(); e.preventDefault(); }
    if (e.key === 'c' && caches) { asCaches.click(); e.preventDefault(); }
  });
  refresh();
  return { changed: (keys) => { if (keys.includes('step') || keys.includes('caches')) refresh(); else stepTimeline.draw(); }, focus: () => byId('next').focus() };
}
