// Drawing of times on a canvas: rows of things that do not overlap, as many as a screen has room for.

// A colour and a shape. What makes progress is dark; what waits is `pale`: an outline with a shape in it, so that one is told from
// the other without colour.
const LOOK = {
  work: ['work', ''], stage: ['work', 'dots'], drain: ['drain', 'hatch'], wait: ['drain', 'bars'], fence: ['fence', 'dots'],
  cache: ['cache', 'bars'], layout: ['layout', 'cross'], held: ['quiet', 'back', 'pale'], turn: ['quiet', 'lines', 'pale'],
  launch: ['launch', 'points', 'pale'], signal: ['launch', ''], exposed: ['exposed', 'back'], never: ['hazard', 'lines', 'pale'],
};
const DID = {
  work: 'work', launch: 'launch', latency: 'launch', 'held by barrier': 'held', 'waits for fence': 'fence',
  'waits: too much in flight': 'turn', 'waits for idle queue': 'turn', 'waits for earlier barrier': 'turn', drain: 'drain', wait: 'wait',
  clean: 'cache', invalidate: 'cache', 'tile load': 'cache', 'tile store': 'cache', layout: 'layout', 'front-end sync': 'wait',
  'engine switch': 'wait', resume: 'wait', client: 'work', signal: 'signal',
};
function isPale(kind) { return LOOK[kind][2] === 'pale'; }

// A fill that is told from others without colour, too.
let fills = {}; // made anew for another theme
function fill(context, kind) {
  if (fills[kind]) return fills[kind];
  const [name, shape] = LOOK[kind];
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const c = tile.getContext('2d');
  if (kind !== 'exposed') { c.fillStyle = color(isPale(kind) ? 'back' : name); c.fillRect(0, 0, 8, 8); }
  c.strokeStyle = isPale(kind) || kind === 'exposed' ? color(name) : dark() ? 'rgba(0,0,0,.55)' : 'rgba(255,255,255,.75)';
  c.fillStyle = c.strokeStyle;
  c.lineWidth = isPale(kind) ? 1 : 1.4;
  const line = (...p) => { c.beginPath(); for (let i = 0; i < p.length; i += 4) { c.moveTo(p[i], p[i + 1]); c.lineTo(p[i + 2], p[i + 3]); } c.stroke(); };
  if (shape === 'hatch') line(-2, 6, 6, -2, 2, 10, 10, 2);
  if (shape === 'back') line(-2, 2, 6, 10, 2, -2, 10, 6);
  if (shape === 'bars') line(2, 0, 2, 8, 6, 0, 6, 8);
  if (shape === 'lines') line(0, 2.5, 8, 2.5, 0, 6.5, 8, 6.5);
  if (shape === 'cross') line(0, 0, 8, 8, 8, 0, 0, 8);
  if (shape === 'dots') { c.fillRect(1, 1, 2, 2); c.fillRect(5, 5, 2, 2); }
  if (shape === 'points') { c.fillRect(1, 2, 2, 2); c.fillRect(5, 6, 2, 2); }
  return (fills[kind] = shape ? context.createPattern(tile, 'repeat') : color(name));
}

// Puts things into as few rows as it can, so that none overlap in a row; what finds no room goes into the last one.
function packed(items, start, end, most) {
  const sorted = items.slice().sort((a, b) => start(a) - start(b) || end(a) - end(b));
  const rows = [];
  for (const item of sorted) {
    let row = rows.find((r) => r.until <= start(item));
    if (!row) {
      if (rows.length < most) { row = { until: 0, items: [] }; rows.push(row); } else row = rows[rows.length - 1];
    }
    row.items.push(item);
    row.until = Math.max(row.until, end(item));
  }
  return rows.map((r) => r.items);
}

// Of things in order of their starts: the latest end of any up to each, and how long the longest of each block of them lasts.
const BLOCK = 64;
function extents(items, start, end) {
  if (items.extents) return items.extents;
  const lasts = [], longest = [];
  let most = 0;
  items.forEach((item, i) => {
    most = Math.max(most, end(item));
    lasts.push(most);
    const block = Math.floor(i / BLOCK);
    longest[block] = Math.max(longest[block] || 0, end(item) - start(item));
  });
  return (items.extents = { lasts, longest });
}

// Calls `each` for the things of a row that can be seen. Of those that are narrower than a pixel and share one, it is called for
// one, with how many they are; what is wider is seen wherever it begins.
function visibleItems(items, start, end, scale, each) {
  const { t0, t1, width } = scale;
  const perPixel = (t1 - t0) / width;
  // In rows with overlaps a long one may begin far before: ends are searched as if each lasted as long as any before it.
  const { lasts, longest } = extents(items, start, end);
  const isWide = (k) => end(items[k]) - start(items[k]) >= perPixel;
  let i = lower(items.length, (k) => lasts[k], t0);
  while (i < items.length && start(items[i]) <= t1) {
    if (isWide(i)) {
      each(items[i], 1);
      i += 1;
      continue;
    }
    const until = (Math.floor((start(items[i]) - t0) / perPixel) + 1) * perPixel + t0;
    const next = Math.max(i + 1, lower(items.length, (k) => start(items[k]), until));
    const wide = [];
    for (let k = i + 1; k < next; k += 1) {
      if (k % BLOCK === 0) while (k + BLOCK <= next && longest[k / BLOCK] < perPixel) k += BLOCK;
      if (k < next && isWide(k)) wide.push(items[k]);
    }
    each(items[i], next - i - wide.length);
    for (const item of wide) each(item, 1);
    i = next;
  }
}

// Words that fit a width; measured once for each font.
const widths = new Map();
function measured(context, words) {
  const key = context.font + words;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    width = context.measureText(words).width;
    widths.set(key, width);
  }
  return width;
}
function shorten(context, words, width) {
  const whole = measured(context, words);
  if (whole <= width) return words;
  let n = Math.min(words.length - 1, Math.floor((width / whole) * words.length));
  while (n > 1 && measured(context, `${words.slice(0, n)}…`) > width) n -= 1;
  return n > 2 ? `${words.slice(0, n)}…` : '';
}

// The same with the end kept: names of queues often differ there.
function shortenMiddle(context, words, width) {
  if (measured(context, words) <= width) return words;
  const end = words.slice(-3), head = shorten(context, words.slice(0, -3), width - measured(context, end));
  return head ? `${head}${end}` : shorten(context, words, width);
}

function ticks(t0, t1, width) {
  const raw = (t1 - t0) / Math.max(2, width / 110);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || power * 10;
  const all = [];
  for (let t = Math.ceil(t0 / step) * step; t <= t1; t += step) all.push(t);
  return all;
}
function shortTime(ps, span) {
  const [unit, per] = span >= 2e9 ? ['ms', 1e9] : span >= 2e6 ? ['us', 1e6] : span >= 2e3 ? ['ns', 1e3] : ['ps', 1];
  const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(span / per / 10))));
  return `${(ps / per).toFixed(digits)} ${unit}`;
}

// A canvas as large as its host, sharp on every screen.
function fitted(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w; canvas.height = h;
    canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
