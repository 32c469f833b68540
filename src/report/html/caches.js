// The cache view of the steps: the machine as a diagram, and which version is in which box. What moves is told by the steps.

// What each box holds after a step (-1: before the first): by box and resource, the tokens.
function holdsAfter(step) {
  const all = X.diagram.boxes.map(() => new Map());
  const take = (hold) => all[hold.at].set(hold.resource, hold.tokens);
  X.diagram.start.forEach(take);
  for (let i = 0; i <= step && i < X.events.length; i += 1) if (X.events[i].scene) (X.events[i].scene.holds || []).forEach(take);
  return all.map((by) => [...by.entries()].sort((a, b) => a[0] - b[0]).flatMap(([resource, tokens]) => tokens.map((t) => ({ resource, ...t }))));
}
function tokenName(t) { return `${X.diagram.resources[t.resource].letter}${t.number}`; }
const sameToken = (a, b) => Boolean(a) && Boolean(b) && a.resource === b.resource && a.number === b.number;
const REMARK = { dirty: 'not written back', part: 'a part of it', new: 'new there', right: 'what should have been read', gone: 'dropped', wrong: 'the wrong version' };

// The tokens that a box shows: of a place what it holds and has just dropped, of a client what it reads or writes now.
function shownTokens(place, now, before, scene) {
  const acts = scene.acts || [], all = [];
  if (X.diagram.boxes[place].kind === 'client') {
    for (const act of acts) {
      const end = act.kind === 'read' ? act.way[act.way.length - 1] : act.kind === 'write' ? act.way[0] : -1;
      if (end === place && !all.some((t) => sameToken(t, act.token))) all.push({ ...act.token, looks: act.wrong ? ['wrong'] : act.kind === 'write' ? ['dirty'] : [] });
    }
    return all;
  }
  for (const t of now[place]) {
    const looks = ['dirty', 'part'].filter((look) => t[look]);
    if (!before[place].some((old) => sameToken(old, t))) looks.push('new');
    if (sameToken(scene.expected, t) && (scene.right || []).includes(place)) looks.push('right');
    all.push({ ...t, looks });
  }
  for (const act of acts) if (act.kind === 'drop' && act.way[0] === place && !all.some((t) => sameToken(t, act.token))) all.push({ ...act.token, looks: ['gone'] });
  return all;
}

const TOKEN = { w: 40, h: 24, head: 24 };
function wayLine(points) { return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x} ${y}`).join(''); }
// The points between two boxes that are next to each other on a way, in the way's direction.
function between(a, b) {
  const edges = X.diagram.edges, on = edges.find((e) => e.from === a && e.to === b);
  if (on) return on.points;
  const back = edges.find((e) => e.from === b && e.to === a);
  return back ? [...back.points].reverse() : [];
}
const fit = (words, room) => { const most = Math.max(1, Math.floor(room)); return words.length > most ? `${words.slice(0, most - 1)}…` : words; };

function cacheBox(row, place, tokens, scene) {
  const sides = (scene.sides || []).filter((s) => s.at === place);
  const wide = Math.max(1, Math.floor((row.width - 10) / TOKEN.w)), high = Math.max(1, Math.floor((row.height - TOKEN.head) / TOKEN.h));
  const room = wide * high;
  let shown = tokens;
  if (tokens.length > room) {
    const isAbout = (t) => (scene.acts || []).some((act) => !act.aside && act.token.resource === t.resource) || sameToken(scene.expected, t);
    shown = [...tokens.filter(isAbout), ...tokens.filter((t) => !isAbout(t))].slice(0, room - 1);
  }
  const slot = (i) => [row.x + 7 + (i % wide) * TOKEN.w, row.y + TOKEN.head + Math.floor(i / wide) * TOKEN.h];
  return svg('g', { class: `box ${row.kind}`, 'data-box': place },
    svg('rect', { class: 'place', x: row.x, y: row.y, width: row.width, height: row.height }, svg('title', {}, row.note ? `${row.name}: ${row.note}` : row.name)),
    svg('text', { class: 'name', x: row.x + 7, y: row.y + 17 }, fit(row.name, (row.width - 14 - 22 * sides.length) / 7.6)),
    sides.map((s, i) => { const x = row.x + row.width - 14 - 22 * i; return svg('g', { class: 'side' }, svg('circle', { cx: x, cy: row.y + 12, r: 9 }), svg('text', { x, y: row.y + 16.5 }, s.side)); }),
    shown.map((t, i) => token(t, slot(i), row.name, scene)),
    tokens.length > room ? svg('text', { class: 'small', x: slot(room - 1)[0] + 4, y: slot(room - 1)[1] + 14 }, `+${tokens.length - room + 1}`) : '');
}

function token(t, [x, y], place, scene) {
  const name = tokenName(t), w = TOKEN.w - 5;
  const wrong = t.looks.includes('wrong');
  const remarks = t.looks.map((look) => `, ${REMARK[look]}`).join('');
  return svg('g', { class: `token r${t.resource % 6} ${t.looks.join(' ')}`, 'data-token': name },
    svg('rect', { class: 'chip', x, y, width: w, height: TOKEN.h - 5, rx: 4 }, svg('title', {}, `version ${t.number} of ${X.diagram.resources[t.resource].name} in ${place}${remarks}`)),
    svg('text', { class: name.length > 5 ? 'mid tiny' : name.length > 3 ? 'mid small' : 'mid', x: x + w / 2, y: y + 14 }, name),
    wrong ? svg('text', { class: 'bad', x: x + w + 5, y: y + 14 }, scene.expected && !sameToken(scene.expected, t) ? `✖ not ${tokenName(scene.expected)}` : '✖') : '',
    t.looks.includes('right') ? svg('text', { class: 'fine', x: x + w - 1, y: y + 5 }, '✓') : '');
}

function cacheLegend() {
  const look = (words, looks) => el('span', {}, svg('svg', { width: 26, height: 16, class: 'diagram' }, svg('g', { class: `token r0 ${looks}` }, svg('rect', { class: 'chip', x: 2, y: 2, width: 20, height: 12, rx: 3 }))), words);
  return el('div', { class: 'legend' }, X.diagram.resources.slice(0, 26).map((r, i) => el('span', { class: `letter r${i % 6}` }, el('b', {}, r.letter), visible(r.name, 40))), X.diagram.resources.length > 26 ? el('span', {}, '…') : '',
    look('not written back yet', 'dirty'), look('written back, or only read', ''), look('of a part only', 'part'), look('new there', 'new'), look('wrong', 'wrong'), look('✓ what it should be', 'right'), el('span', { class: 'left-out-words', title: X.diagram.left_out.join('; ') }, X.diagram.left_out.length ? 'not everything is drawn' : ''));
}

// The panel. `draw(step, isTold)`: what is after a step, or before it while it is not told.
function cachesPanel() {
  const G = X.diagram;
  const picture = svg('svg', { class: 'diagram', viewBox: `-2 -2 ${G.width + 4} ${G.height}`, role: 'img', preserveAspectRatio: 'xMidYMid meet' });
  const host = el('div', { id: 'caches' }, el('div', { class: 'picture' }, picture), cacheLegend());
  let last = null;
  function draw(step, isTold) {
    const at = isTold ? step : step - 1;
    const scene = (isTold && X.events[step].scene) || {};
    const now = holdsAfter(at), before = isTold ? holdsAfter(step - 1) : now;
    const lit = (act) => act.way.slice(1).map((to, i) => svg('path', { class: `lit ${act.wrong ? 'wrong' : act.kind}${act.aside ? ' aside' : ''}`, d: wayLine(between(act.way[i], to)), 'marker-end': i + 2 === act.way.length ? `url(#${act.wrong ? 'cache-bad' : 'cache-to'})` : null }));
    const acts = [...(scene.acts || [])].sort((a, b) => Boolean(b.aside) - Boolean(a.aside));
    const marker = (id) => svg('marker', { id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 4, markerHeight: 4, orient: 'auto-start-reverse' }, svg('path', { d: 'M0 0L10 5L0 10z' }));
    picture.setAttribute('aria-label', `Caches ${isTold ? 'after' : 'before'} step ${step + 1}`);
    picture.replaceChildren(svg('defs', {}, marker('cache-to'), marker('cache-bad')), ...G.edges.map((e) => svg('path', { class: 'way', d: wayLine(e.points) })), ...acts.flatMap(lit),
      ...G.boxes.map((row, place) => cacheBox(row, place, shownTokens(place, now, before, scene), scene)));
    if (isTold && last !== null && step > last) acts.filter((act) => !act.aside && act.way.length > 1).forEach(fly);
    last = isTold ? step : step - 1;
  }
  // A token goes its way once; what is drawn is right without it.
  function fly(act) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || !picture.animate) return;
    const points = act.way.slice(1).flatMap((to, i) => between(act.way[i], to));
    if (points.length < 2) return;
    const mover = token({ ...act.token, looks: act.wrong ? ['wrong'] : act.kind === 'read' ? [] : ['dirty'] }, [-(TOKEN.w - 5) / 2, -(TOKEN.h - 5) / 2], '', {});
    mover.classList.add('mover');
    mover.removeAttribute('data-token');
    mover.setAttribute('aria-hidden', 'true');
    picture.append(mover);
    const moving = mover.animate(points.map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` })), { duration: 420 + 180 * act.way.length, easing: 'ease-in-out' });
    moving.onfinish = () => mover.remove();
    moving.oncancel = () => mover.remove();
  }
  return { host, draw };
}
