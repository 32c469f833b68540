// Step by step: what happens next, in words; first asked, then told, if that is wanted.

let stepTimeline = null;
const asking = { on: false, told: true };

function viewSteps(view) {
  const E = X.events;
  if (!E.length) { view.append(el('p', { class: 'pad' }, 'Nothing happened.')); return {}; }
  const at = () => Math.min(E.length - 1, Math.max(0, Number(state.step) || 0));
  const host = el('div', { id: 'steps-timeline', css: { flex: '1', 'min-height': '160px' } });
  const when = el('b', { class: 'mono', id: 'step-when' });
  const ask = el('p', { class: 'ask', id: 'step-ask' });
  const told = el('div', { class: 'told', 'aria-live': 'polite', id: 'step-told' });
  const reveal = el('button', { type: 'button', id: 'reveal', onclick: () => { asking.told = true; refresh(); } }, 'Show the answer');
  const hard = el('select', { id: 'step-kinds', 'aria-label': 'Which events', onchange: () => refresh() }, [['', 'every event'], ['m', 'caches and memory'], ['b', 'barriers'], ['w', 'commands']].map(([v, w]) => el('option', { value: v }, w)));
  const fits = (e) => hard.value === '' || (hard.value === 'm' ? e.moment >= 0 : e.moment < 0 && e.row >= 0 && P.kind[e.row] === hard.value);
  const go = (by) => {
    if (asking.on && !asking.told && by > 0) { asking.told = true; refresh(); return; }
    for (let i = at() + by; i >= 0 && i < E.length; i += by) {
      if (fits(E[i])) { asking.told = !asking.on; set({ step: i }); return; }
    }
  };
  const button = (words, name, act, id) => el('button', { type: 'button', 'aria-label': name, title: name, onclick: act, id }, words);
  const predict = el('button', { type: 'button', id: 'predict', 'aria-pressed': 'false', onclick: () => { asking.on = !asking.on; asking.told = !asking.on; refresh(); } }, 'Ask first');
  view.append(
    el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Steps' }, button('|◀', 'First event', () => set({ step: 0 })), button('◀ Previous', 'Previous event', () => go(-1), 'previous'), button('Next ▶', 'Next event', () => go(1), 'next'),
      button('▶|', 'Last event', () => set({ step: E.length - 1 })), predict, hard, when),
    el('div', { class: 'pad' }, ask, reveal, told), host);
  stepTimeline = new Timeline(host, { id: 'steps', compact: true });
  stepTimeline.fit();
  function refresh() {
    const e = E[at()];
    when.textContent = `${time(e.at)} · event ${at() + 1} of ${E.length}`;
    predict.setAttribute('aria-pressed', String(asking.on));
    ask.hidden = !asking.on; reveal.hidden = asking.told;
    ask.textContent = visible(`What do you expect? ${W[e.ask]}`, 500);
    told.replaceChildren(...(asking.told ? [...e.says.slice(0, 8).map((s) => el('p', {}, W[s])), e.says.length > 8 ? el('p', { class: 'note' }, `and ${e.says.length - 8} more`) : '',
      e.moment >= 0 ? el('p', {}, el('button', { type: 'button', class: 'link', onclick: () => show('memory', { at: e.moment }) }, 'Show memory at this moment')) : ''] : []));
    stepTimeline.cursor = e.at;
    if (e.at < stepTimeline.t0 || e.at > stepTimeline.t1) stepTimeline.window(e.at - (stepTimeline.t1 - stepTimeline.t0) / 2, stepTimeline.t1 - stepTimeline.t0);
    if (asking.told && e.row >= 0) { select(e.row); stepTimeline.reveal(e.row); }
    stepTimeline.draw();
  }
  view.addEventListener('keydown', (e) => {
    if (e.target.closest('select, input, .track-host')) return;
    if (e.key === 'ArrowRight' || e.key === 'n') { go(1); e.preventDefault(); }
    if (e.key === 'ArrowLeft' || e.key === 'p') { go(-1); e.preventDefault(); }
    if (e.key === 'a') { predict.click(); e.preventDefault(); }
  });
  refresh();
  return { changed: (keys) => { if (keys.includes('step')) refresh(); else stepTimeline.draw(); }, focus: () => document.getElementById('next').focus() };
}
