// The dependency graph: a column a queue, downwards in time.

const RELATION = { n: 'needed', a: 'asked', e: 'ensured', p: 'paid' };
const EFFECT = { o: 'order', v: 'visibility', l: 'layout' };
const graphFilter = { relations: 'nap', effects: 'ovl', implied: false, collapse: null, missing: true, chain: true };
const EDGES_DRAWN = 4000;
// Nodes of a chain that are drawn: of a longer one the nearest.
const CHAIN_NODES = 60;

function viewGraph(view) {
  const G = X.graph;
  if (!G) { view.append(el('p', { class: 'pad' }, 'There is no graph in this page: nothing depends on anything, or it is too large to draw (see the remarks at the top).')); return {}; }
  // What is small is shown in full.
  if (graphFilter.collapse === null) graphFilter.collapse = G.nodes.id.length > 40;
  const host = el('div', { class: 'scroll graph', role: 'group', 'aria-label': 'Dependency graph', id: 'graph' });
  const status = el('span', { role: 'status', class: 'note' });
  const redraw = () => drawGraph(G, host, status);
  const box = (words, get, put) => el('label', {}, el('input', { type: 'checkbox', checked: get(), onchange: (e) => { put(e.target.checked); redraw(); } }), words);
  const letters = (key, letter, words) => box(words, () => graphFilter[key].includes(letter), (on) => { graphFilter[key] = on ? graphFilter[key] + letter : graphFilter[key].replace(letter, ''); });
  const used = [...new Set(G.edges.resource)].filter((w) => W[w]).map((w) => W[w]).sort();
  view.append(
    el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'What the graph shows' },
      Object.entries(RELATION).map(([k, w]) => letters('relations', k, w)), el('span', { class: 'note' }, '|'),
      Object.entries(EFFECT).map(([k, w]) => letters('effects', k, w)), el('span', { class: 'note' }, '|'),
      box('implied', () => graphFilter.implied, (on) => { graphFilter.implied = on; }),
      box('only the chain', () => graphFilter.chain, (on) => { graphFilter.chain = on; }),
      box('collapse chains', () => graphFilter.collapse, (on) => { graphFilter.collapse = on; }),
      el('label', {}, 'only', el('select', { id: 'graph-resource', 'aria-label': 'Only what concerns this resource', onchange: (e) => { set({ resource: e.target.value }); } },
        el('option', { value: '' }, 'every resource'), used.map((name) => el('option', { value: name, selected: name === state.resource }, name)))), status),
    host, graphLegend());
  redraw();
  return {
    changed: (keys) => {
      if (keys.includes('resource') || (keys.includes('sel') && graphFilter.chain)) redraw(); else if (keys.includes('sel')) markGraph(host, true);
    },
    focus: () => { const node = host.querySelector('.node.selected') || host.querySelector('.node'); if (node) node.focus(); },
  };
}

function graphLegend() {
  const sample = (kind, words, sign) => el('span', {}, svg('svg', { width: 34, height: 14, class: 'graph', 'aria-hidden': 'true' }, svg('path', { class: kind, d: 'M2 7H32' }), sign ? svg('text', { class: 'x', x: 12, y: 12 }, sign) : null), words);
  return el('div', { class: 'legend graph', 'aria-label': 'Legend' }, sample('n', 'needed'), sample('r', 'raster order, or atomics'), sample('a', 'asked'), sample('e', 'ensured'), sample('p', 'paid: really waited'),
    sample('x', 'missing: a hazard, or an operation that the driver left out', '✖'), el('span', {}, '▭ command ◆ barrier ▬ end of a call'), el('span', {}, 'bold frame: critical path'));
}

// Edges that the filters let through, and the nodes that they touch.
function chosenEdges(G) {
  const { edges } = G;
  const chosen = [];
  for (let i = 0; i < edges.from.length; i += 1) {
    const missing = W[edges.reason[i]] === 'missing';
    const relation = edges.relation[i];
    if (!(graphFilter.relations.includes(relation) || (missing && graphFilter.missing))) continue;
    if (!graphFilter.effects.includes(edges.effect[i]) && !(missing && graphFilter.missing)) continue;
    if (edges.implied[i] && !graphFilter.implied && !missing) continue;
    if (state.resource && W[edges.resource[i]] !== state.resource) continue;
    chosen.push(i);
  }
  return chosen;
}

// Where the chain begins that is drawn: at what is selected, or else at the first link that is missing.
function chainStart(G) {
  const own = G.nodes.id.indexOf(state.sel);
  if (own >= 0) return { of: G.nodes.id[own], nodes: [own] };
  const first = G.edges.reason.findIndex((r) => W[r] === 'missing');
  if (first < 0) return null;
  const ends = [G.edges.from[first], G.edges.to[first]];
  return { of: 'the first missing link', nodes: ends };
}

// Everything that leads to the start and everything that it leads to, nearest first: by what is needed and asked for a resource.
// The order of scopes and queues leads from everything to everything, so no chain goes along it.
function chainOf(G) {
  const start = graphFilter.chain ? chainStart(G) : null;
  if (!start) return null;
  const { edges } = G;
  const leads = [new Map(), new Map()];
  edges.from.forEach((a, i) => { if (W[edges.resource[i]]) { push(leads[0], a, edges.to[i]); push(leads[1], edges.to[i], a); } });
  const found = new Set(start.nodes), seen = leads.map(() => new Set(start.nodes));
  const rings = leads.map(() => start.nodes);
  let cut = false;
  while (!cut && rings.some((ring) => ring.length)) {
    leads.forEach((lead, way) => {
      const next = [];
      for (const at of rings[way]) for (const to of lead.get(at) || []) {
        if (seen[way].has(to)) continue;
        if (!found.has(to) && found.size >= CHAIN_NODES) { cut = true; continue; }
        seen[way].add(to); found.add(to); next.push(to);
      }
      rings[way] = next;
    });
  }
  return { of: start.of, nodes: found, cut };
}

// Several edges between two nodes are drawn as one of each relation.
function drawGraph(G, host, status) {
  const { nodes, edges } = G;
  const hadFocus = host.contains(scope.activeElement);
  const chain = chainOf(G);
  const all = chosenEdges(G);
  const chosen = chain ? all.filter((i) => chain.nodes.has(edges.from[i]) && chain.nodes.has(edges.to[i])) : all;
  const group = collapsed(G, chosen);
  const merged = new Map();
  for (const i of chosen) {
    const [a, b] = [group.of[edges.from[i]], group.of[edges.to[i]]];
    if (a === b) continue;
    const missing = W[edges.reason[i]] === 'missing';
    const kind = missing ? 'x' : W[edges.reason[i]] === 'exempt' ? 'r' : edges.relation[i];
    const key = `${a} ${b} ${kind}`;
    const edge = merged.get(key) || { a, b, kind, says: [] };
    edge.says.push(sayEdge(G, i));
    merged.set(key, edge);
  }
  const drawn = [...merged.values()].slice(0, EDGES_DRAWN);
  // A chain that is all there is has no edge left.
  const shown = new Set(chosen.flatMap((i) => [group.of[edges.from[i]], group.of[edges.to[i]]]));
  if (chain) chain.nodes.forEach((i) => shown.add(group.of[i]));
  const boxes = place(G, group, shown, drawn, host.clientWidth || 900);
  const paths = drawn.map((e) => edgePath(e, boxes));
  host.replaceChildren(el('div', { class: 'heads', css: { width: `${boxes.width}px` } }, boxes.heads.map((h) => el('b', { css: { left: `${h.x}px` } }, visible(h.name, 30)))),
    svg('svg', { width: boxes.width, height: boxes.height, role: 'presentation' }, paths.map((p) => p.path), boxes.list.map((box) => nodeBox(G, box, host)), paths.map((p) => p.sign)));
  const more = merged.size > EDGES_DRAWN ? `; the first ${EDGES_DRAWN} are drawn: choose a resource` : '';
  const missing = drawn.filter((e) => e.kind === 'x').length;
  const implied = edges.implied.reduce((sum, is) => sum + is, 0);
  const hidden = implied && !graphFilter.implied ? `; ${count(implied, 'edge')} of order that others imply ${implied === 1 ? 'is' : 'are'} left out` : '';
  const near = chain && chain.cut ? ` (the nearest ${CHAIN_NODES} nodes)` : '';
  const part = chain ? `the chain of ${chain.of}${near}: ` : '';
  status.textContent = `${part}${count(shown.size, 'node')} of ${nodes.id.length}, ${count(merged.size, 'edge')}, ${missing} missing${hidden}${more}`;
  host.edges = paths;
  host.boxes = boxes;
  markGraph(host);
  // A node that was chosen by a key is drawn anew: the keys stay with it.
  const own = hadFocus && (host.querySelector('.node.selected') || host.querySelector('.node'));
  if (own) own.focus({ preventScroll: true });
}

function sayEdge(G, i) {
  const { edges, nodes } = G;
  const paid = edges.paid_ps[i] ? `, ${time(edges.paid_ps[i])}` : '';
  const about = W[edges.resource[i]] ? ` for ${W[edges.resource[i]]}` : '';
  return `${nodes.id[edges.from[i]]} → ${nodes.id[edges.to[i]]}: ${RELATION[edges.relation[i]]} ${EFFECT[edges.effect[i]]}${about} (${W[edges.reason[i]]}${paid})`;
}

// Chains: nodes of a queue that have one edge in and one out, from a neighbour to a neighbour, are one.
function collapsed(G, chosen) {
  const n = G.nodes.id.length;
  const of = [...Array(n).keys()];
  const members = of.map((i) => [i]);
  if (!graphFilter.collapse) return { of, members };
  const next = of.map(() => new Set()), before = of.map(() => new Set()), bad = new Set();
  for (const i of chosen) {
    next[G.edges.from[i]].add(G.edges.to[i]); before[G.edges.to[i]].add(G.edges.from[i]);
    if (W[G.edges.reason[i]] === 'missing') { bad.add(G.edges.from[i]); bad.add(G.edges.to[i]); }
  }
  // Nodes without edges are not shown: neighbours are neighbours among the others.
  for (let i = 0; i < n; i += 1) {
    if (next[i].size !== 1 || bad.has(i)) continue;
    const [j] = next[i];
    if (before[j].size !== 1 || bad.has(j) || G.nodes.queue[i] !== G.nodes.queue[j]) continue;
    const head = of[i];
    for (const k of members[of[j]]) { members[head].push(k); of[k] = head; }
  }
  return { of, members };
}

// A column a queue; each node below what it depends on.
function place(G, group, shown, drawn, room) {
  const queues = [...new Set([...shown].map((i) => G.nodes.queue[i]))].sort((a, b) => order(a) - order(b));
  function order(q) { const at = X.tracks.indexOf(q); return at < 0 ? 99 : at; }
  const side = queues.length > 3 ? 30 : 46;
  const width = Math.max(120, Math.min(big() ? 560 : 330, (room - 30) / Math.max(1, queues.length) - 2 * side));
  const step = width + 2 * side;
  const into = new Map();
  for (const e of drawn) push(into, e.b, e.a);
  const at = new Map(), last = new Map();
  const list = [];
  const start = (i) => { const row = rowOf.get(G.nodes.id[i]); return row === undefined ? Infinity : from(row); };
  // By time, so that what is on one level is near in time. A barrier is in its queue before what it waits for has started:
  // on one queue the order of execution counts. Ends of calls follow what they end.
  const when = new Map(), latest = new Map();
  for (const i of [...shown].sort((a, b) => a - b)) {
    const q = G.nodes.queue[i], known = latest.get(q) || 0, t = start(i);
    if (W[G.nodes.kind[i]] === 'submission') { when.set(i, t === Infinity ? known : t); continue; }
    latest.set(q, t === Infinity ? known : Math.max(known, t));
    when.set(i, latest.get(q));
  }
  const sorted = [...shown].sort((a, b) => when.get(a) - when.get(b) || a - b);
  const over = [];
  let high = 0;
  for (const i of sorted) {
    const q = G.nodes.queue[i];
    let level = (last.get(q) ?? -1) + 1;
    for (const a of into.get(i) || []) if (at.has(a) && G.nodes.queue[a] !== q) level = Math.max(level, at.get(a).level + 1);
    // Not above what was over before it began.
    for (const [finish, other] of over) if (finish <= when.get(i) && other > level) level = other;
    last.set(q, level);
    const row = rowOf.get(G.nodes.id[i]);
    over.push([row === undefined ? when.get(i) : to(row), level]);
    const box = { i, level, x: 16 + side / 2 + queues.indexOf(q) * step, y: 6 + level * (big() ? 40 : 32), w: width, h: big() ? 32 : 24, members: group.members[i], start: start(i) };
    at.set(i, box); list.push(box); high = Math.max(high, level);
  }
  return { at, list, heads: queues.map((q, k) => ({ name: W[q], x: 16 + side / 2 + k * step })), width: 16 + queues.length * step, height: 6 + (high + 1) * (big() ? 40 : 32) + 10 };
}

function nodeBox(G, box, host) {
  const { i } = box;
  const id = G.nodes.id[i];
  const kind = W[G.nodes.kind[i]];
  const many = box.members.length;
  const name = W[G.nodes.label[i]] || id;
  const words = many > 1 ? `${many} in a row: ${name} … ${W[G.nodes.label[box.members[many - 1]]]}` : `${name}`;
  const isOn = box.members.some((m) => isCritical(rowOf.get(G.nodes.id[m])));
  const sign = many > 1 ? '⋮' : { command: '▭', barrier: '◆', submission: '▬' }[kind];
  const pen = nodeBox.pen || (nodeBox.pen = document.createElement('canvas').getContext('2d'));
  pen.font = `${big() ? 16 : 12}px system-ui, "Segoe UI", "Noto Sans", sans-serif`;
  const node = svg('g', {
    class: `node ${kind}${isOn ? ' critical' : ''}`, tabindex: '-1', role: 'button', transform: `translate(${box.x} ${box.y})`,
    'aria-label': visible(`${kind} ${words}, ${id} on ${W[G.nodes.queue[i]]}, line ${G.nodes.line[i]}${isOn ? ', on the critical path' : ''}`, 500),
    onclick: () => chooseNode(id), onfocus: () => { host.at = i; },
    onkeydown: (e) => { if (graphKey(e, host, box)) { e.preventDefault(); e.stopPropagation(); } },
  }, svg('title', {}, visible(`${words}\n${box.members.map((m) => G.nodes.id[m]).slice(0, 12).join(', ')}`, 900)),
  svg('rect', { width: box.w, height: box.h, rx: kind === 'command' ? 4 : 0 }),
  svg('text', { x: 7, y: box.h / 2 + (big() ? 6 : 4) }, shorten(pen, `${sign} ${visible(words, 200)}`, box.w - 12)));
  box.node = node; box.id = id;
  return node;
}
function chooseNode(id) { set({ sel: state.sel === id ? '' : id, finding: '' }); }

function graphKey(e, host, box) {
  const list = host.boxes.list;
  const column = list.filter((b) => b.x === box.x);
  const move = (to) => { if (to) { to.node.focus({ preventScroll: false }); to.node.scrollIntoView({ block: 'nearest', inline: 'nearest' }); } return true; };
  const columns = [...new Set(list.map((b) => b.x))].sort((a, b) => a - b);
  const aside = (by) => {
    const x = columns[columns.indexOf(box.x) + by];
    return list.filter((b) => b.x === x).sort((a, b) => Math.abs(a.y - box.y) - Math.abs(b.y - box.y))[0];
  };
  switch (e.key) {
    case 'ArrowDown': return move(column[column.indexOf(box) + 1]);
    case 'ArrowUp': return move(column[column.indexOf(box) - 1]);
    case 'ArrowLeft': return move(aside(-1));
    case 'ArrowRight': return move(aside(1));
    case 'Home': return move(list[0]);
    case 'End': return move(list[list.length - 1]);
    case '[': return move((host.edges.find((p) => p.edge.b === box.i) || {}).edge && host.boxes.at.get(host.edges.find((p) => p.edge.b === box.i).edge.a));
    case ']': return move((host.edges.find((p) => p.edge.a === box.i) || {}).edge && host.boxes.at.get(host.edges.find((p) => p.edge.a === box.i).edge.b));
    case 'Enter': case ' ': chooseNode(box.id); return true;
    case 'Escape': select(-1); return true;
    default: return false;
  }
}

function edgePath(edge, boxes) {
  const [a, b] = [boxes.at.get(edge.a), boxes.at.get(edge.b)];
  const lift = { n: 0, r: -6, a: 4, e: -4, p: 8, x: -8 }[edge.kind];
  let d, mx, my;
  if (a.x === b.x) {
    // Next to the column: the further, the wider.
    const left = 'nrx'.includes(edge.kind);
    const x = left ? a.x : a.x + a.w;
    const near = b.level - a.level === 1;
    const bow = (left ? -1 : 1) * Math.min(40, 7 + Math.abs(b.level - a.level) * 2.2 + Math.abs(lift) / 2);
    const [y0, y1] = [a.y + a.h / 2, b.y + b.h / 2];
    if (near && edge.kind !== 'x') {
      const c = a.x + a.w / 2 + lift * 5;
      d = `M${c} ${a.y + a.h}V${b.y}`; mx = c; my = (a.y + a.h + b.y) / 2;
    } else { d = `M${x} ${y0}C${x + bow} ${y0 + 4} ${x + bow} ${y1 - 4} ${x} ${y1}`; mx = x + bow * 0.75; my = (y0 + y1) / 2; }
  } else {
    const on = b.x > a.x;
    const [x0, x1] = [on ? a.x + a.w : a.x, on ? b.x : b.x + b.w];
    const [y0, y1] = [a.y + a.h / 2 + lift, b.y + b.h / 2 + lift];
    const bow = (x1 - x0) / 2;
    d = `M${x0} ${y0}C${x0 + bow} ${y0} ${x1 - bow} ${y1} ${x1} ${y1}`; mx = (x0 + x1) / 2; my = (y0 + y1) / 2;
  }
  const path = svg('path', { class: edge.kind, d }, svg('title', {}, visible(edge.says.slice(0, 6).join('\n'), 1200)));
  const sign = edge.kind === 'x' ? svg('text', { class: 'x', x: mx - 6, y: my + 5 }, '✖', svg('title', {}, visible(`missing: ${edge.says.join('\n')}`, 1200))) : null;
  return { edge, path, sign };
}

// The selected node with its edges in full, the others faint.
function markGraph(host, moves = false) {
  if (!host.boxes) return;
  const own = host.boxes.list.find((b) => b.members.some((m) => X.graph.nodes.id[m] === state.sel));
  const near = new Set(own ? [own.i] : []);
  for (const p of host.edges) {
    const touches = own && (p.edge.a === own.i || p.edge.b === own.i);
    if (touches) { near.add(p.edge.a); near.add(p.edge.b); }
    p.path.classList.toggle('faint', Boolean(own) && !touches);
    if (p.sign) p.sign.classList.toggle('faint', Boolean(own) && !touches);
  }
  for (const box of host.boxes.list) {
    box.node.classList.toggle('faint', Boolean(own) && !near.has(box.i));
    box.node.classList.toggle('selected', box === own);
    box.node.setAttribute('aria-pressed', String(box === own));
    box.node.setAttribute('tabindex', '-1');
  }
  const first = own || host.boxes.list[0];
  if (first) first.node.setAttribute('tabindex', '0');
  if (own) own.node.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
