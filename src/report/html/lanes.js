// The rows of the timeline: which packet is drawn in which, and what is known of a packet for that.

// What never ran, and waits that never end: what each waits for, and the wait that keeps the signal.
const never = new Set(P ? P.never : []);
const open = new Map((P ? P.open : []).map(([row, says, behind]) => [row, { says: W[says], behind }]));

// A run that is drawn: which rows are its packets, and what is drawn between and below them. `pairs` are hazards whose two sides
// ran: a row and a moment each, and which finding. `misreads` are reads that are marked as wrong: row, moment, sentence.
const asWritten = {
  rows: [...Array(WRITTEN).keys()], arrows: X ? X.arrows : [], exposed: X ? X.exposed : [], misreads: [],
  pairs: D.meetings.filter((m) => D.findings[m.finding] && D.findings[m.finding].second).map((m) => {
    const { first, second } = D.findings[m.finding];
    return [rowOf.get(first.command), m.first_ps, rowOf.get(second.command), m.second_ps, m.finding];
  }).filter(([a, , b]) => a !== undefined && b !== undefined),
  selected: () => selected(),
};

// The row that each packet is drawn in. A row's `y` and `h` are those of the drawing that goes on.
const home = [];
// The rows of all queues of a run; the same for every timeline that draws it.
function lanesOf(run) {
  if (run.lanes) return run.lanes;
  const rows = X.tracks.map(() => ({ work: [], barrier: [], front: [], open: [], all: [] }));
  for (const row of run.rows) {
    if (never.has(row)) continue;
    const track = rows[P.track[row]];
    const kind = P.kind[row];
    track.all.push(row);
    (open.has(row) ? track.open : kind === 'w' ? track.work : kind === 'b' ? track.barrier : track.front).push(row);
  }
  run.lanes = rows.map((track, index) => {
    track.all.sort((a, b) => from(a) - from(b) || a - b);
    const of = (kind, items, most) => packed(items.filter((r) => to(r) >= from(r)), from, to, most).map((list) => ({ kind, items: list, crowded: overlaps(list) }));
    const stages = new Map();
    for (const row of track.work) for (const stage of (P.stages[row] || [])) push(stages, W[stage[0]], [stage[1], stage[2], row]);
    return {
      name: W[X.tracks[index]],
      all: track.all,
      rows: [...of('work', track.work, 24), ...of('barrier', track.barrier, 8), ...of('front', track.front, 3), ...of('open', track.open, 8)],
      stages: [...stages].map(([name, list]) => ({ kind: 'stage', name, items: packed(list, (s) => s[0], (s) => s[1], 1)[0] })),
    };
  }).filter((lane) => lane.all.length);
  for (const lane of run.lanes) for (const place of lane.rows) for (const row of place.items) home[row] = place;
  return run.lanes;
}
// What is between the quotation marks of a label; the same for all packets with one label.
const shortNames = new Map();
function shortName(row) {
  let name = shortNames.get(P.label[row]);
  if (name === undefined) {
    name = visible(label(row), 80).replace(/^\w[\w-]* "(.*)"$/, '$1');
    shortNames.set(P.label[row], name);
  }
  return name;
}
// The moments at which a row has flags.
let flags = null;
function flagsOf(row) {
  if (!flags) { flags = new Map(); flag(asWritten); }
  return flags.get(row) || [];
}
function flag(run) { for (const [a, t, b, u] of run.pairs) { push(flags, a, t); push(flags, b, u); } }
function overlaps(list) { for (let i = 1; i < list.length; i += 1) if (from(list[i]) < to(list[i - 1])) return true; return false; }
// A bar is the whole life of a packet, from when the front end took it up. Without spans nobody knows what a command did before its
// first stage began.
function from(row) { return P.kind[row] === 'w' && !spansOf(row).length ? P.start[row] : P.queued[row]; }
function to(row) { return open.has(row) ? end() * 2 : P.end[row]; }
// When the first stage of a command began.
function began(row) { return P.start[row]; }
function spansOf(row) { return P.spans[row] || []; }

// What a packet did and what it waited for, as it is drawn: start, end and look; what looks alike is one piece.
const pieces = [];
function piecesOf(row) {
  if (pieces[row]) return pieces[row];
  const all = open.has(row) ? [[from(row), to(row), 'never']] : [];
  for (const [a, b, did] of spansOf(row)) {
    const look = DID[W[did]] || 'wait', last = all[all.length - 1];
    if (last && last[2] === look) last[1] = b; else all.push([a, b, look]);
  }
  if (!all.length) all.push([from(row), to(row), { w: 'work', b: 'drain', f: 'fence', s: 'signal', t: 'work' }[P.kind[row]] || 'launch']);
  return (pieces[row] = all);
}
