// Queues along time: work in as many rows as overlap, below it barriers and waits, below those the stages.

const GUTTER = 132;
// Room that the flag of a hazard takes.
const FLAG = 22;
// Strips that a moving timeline is drawn in, and how far what is drawn may reach beyond its place.
const STRIP = 240, NEAR = 64;
const big = () => innerWidth >= 1900;

// The rows of all queues; the same for every timeline of the page.
let lanes = null;
// The row that each packet is drawn in. A row's `y` and `h` are those of the drawing that goes on.
const home = [];
function allLanes() {
  if (lanes) return lanes;
  const rows = X.tracks.map(() => ({ work: [], barrier: [], front: [], all: [] }));
  for (let row = 0; row < P.id.length; row += 1) {
    const track = rows[P.track[row]];
    const kind = P.kind[row];
    track.all.push(row);
    (kind === 'w' ? track.work : kind === 'b' ? track.barrier : track.front).push(row);
  }
  lanes = rows.map((track, index) => {
    track.all.sort((a, b) => from(a) - from(b) || a - b);
    const of = (kind, items, most) => packed(items.filter((r) => to(r) >= from(r)), from, to, most).map((list) => ({ kind, items: list, crowded: overlaps(list) }));
    const stages = new Map();
    for (const row of track.work) for (const stage of (P.stages[row] || [])) push(stages, W[stage[0]], [stage[1], stage[2], row]);
    return {
      name: W[X.tracks[index]],
      all: track.all,
      rows: [...of('work', track.work, 10), ...of('barrier', track.barrier, 4), ...of('front', track.front, 2)],
      stages: [...stages].map(([name, list]) => ({ kind: 'stage', name, items: packed(list, (s) => s[0], (s) => s[1], 1)[0] })),
    };
  }).filter((lane) => lane.all.length);
  for (const lane of lanes) for (const place of lane.rows) for (const row of place.items) home[row] = place;
  return lanes;
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
let pairs = null;
function hazardPairs() {
  pairs = pairs || D.findings.map((f, i) => (f.first ? [rowOf.get(f.first.command), rowOf.get(f.second.command), i] : [])).filter(([a, b]) => a !== undefined && b !== undefined);
  return pairs;
}
let flags = null;
function flagged() { flags = flags || new Set(hazardPairs().flatMap(([a, b]) => [a, b])); return flags; }
function overlaps(list) { for (let i = 1; i < list.length; i += 1) if (from(list[i]) < to(list[i - 1])) return true; return false; }
function from(row) { return P.kind[row] === 'w' ? P.start[row] : P.queued[row]; }
function to(row) { return P.end[row]; }

class Timeline {
  constructor(host, options = {}) {
    this.host = host;
    this.options = options;
    this.stages = options.stages ?? true;
    this.canvas = el('canvas', { 'aria-hidden': 'true' });
    this.spacer = el('div');
    this.option = el('div', { role: 'option', id: `${options.id}-option`, class: 'hidden', 'aria-selected': 'true' });
    this.tip = el('div', { class: 'tip', hidden: true });
    host.append(this.canvas, this.spacer, this.option, this.tip);
    host.classList.add('track-host');
    for (const [key, value] of [['tabindex', '0'], ['role', 'listbox'], ['aria-label', 'Timeline: commands and barriers by queue'],
      ['aria-activedescendant', `${options.id}-option`]]) host.setAttribute(key, value);
    this.t0 = 0; this.t1 = end();
    this.cursor = null;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(host);
    addEventListener('beforeprint', () => this.print(true));
    addEventListener('afterprint', () => this.print(false));
  }

  // On paper nothing scrolls: all rows are drawn, as wide as a page whatever the window is.
  print(isPaper) {
    const { host } = this;
    this.onPaper = false;
    if (!host.isConnected) return;
    Object.assign(host.style, isPaper ? { flex: 'none', width: '1000px', height: '9999px' } : { flex: '', width: '', height: '' });
    if (isPaper) { this.layout(); host.style.height = `${this.total}px`; }
    this.paintedKey = '';
    this.paint();
    // Some browsers print again what was drawn last, and that in part: what was read is whole.
    if (isPaper && this.canvas.width && this.canvas.height) this.canvas.getContext('2d').getImageData(0, 0, 1, 1);
    this.onPaper = isPaper;
  }

  listen() {
    const { host } = this;
    host.addEventListener('scroll', () => this.draw());
    host.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    host.addEventListener('keydown', (e) => { if (this.key(e)) { e.preventDefault(); e.stopPropagation(); } });
    host.addEventListener('pointerdown', (e) => { this.drag = { x: e.clientX, y: e.clientY, t0: this.t0, top: host.scrollTop, moved: false }; });
    host.addEventListener('pointermove', (e) => this.move(e));
    host.addEventListener('pointerup', (e) => {
      if (this.drag && !this.drag.moved) { const hit = this.hit(e); select(hit ? hit.row : -1); host.focus(); }
      this.drag = null;
    });
    host.addEventListener('pointerleave', () => { this.drag = null; this.tip.hidden = true; });
  }

  wheel(e) {
    const scrolls = this.host.scrollHeight > this.host.clientHeight + 2;
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { this.pan((e.deltaX || e.deltaY) / 800); e.preventDefault(); return; }
    if (scrolls && !e.ctrlKey && !e.metaKey) return;
    const x = e.clientX - this.host.getBoundingClientRect().left - GUTTER;
    this.zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, this.t0 + (x / this.width()) * (this.t1 - this.t0));
    e.preventDefault();
  }

  move(e) {
    if (this.drag) {
      const dx = e.clientX - this.drag.x;
      if (Math.abs(dx) + Math.abs(e.clientY - this.drag.y) > 4) {
        this.drag.moved = true;
        this.window(this.drag.t0 - (dx / this.width()) * (this.t1 - this.t0), this.t1 - this.t0);
        this.host.scrollTop = this.drag.top - (e.clientY - this.drag.y);
      }
      return;
    }
    const hit = this.hit(e);
    this.tip.hidden = !hit;
    if (!hit) return;
    this.tip.replaceChildren(...describe(hit.row, hit.did));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(4, Math.min(e.clientX + 14, innerWidth - box.width - 8))}px`;
    this.tip.style.top = `${Math.max(4, e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 12 : e.clientY + 18)}px`;
  }

  width() { return Math.max(50, this.host.clientWidth - GUTTER - 8); }
  window(t0, span) {
    const whole = end() * 1.02 + 1;
    span = Math.min(Math.max(span, 50), whole);
    this.t0 = Math.min(Math.max(t0, -0.01 * span), Math.max(0, whole - span));
    this.t1 = this.t0 + span;
    if (this.options.keeps) set({ t0: Math.round(this.t0), t1: Math.round(this.t1) });
    this.draw();
  }
  pan(part) { this.window(this.t0 + part * (this.t1 - this.t0), this.t1 - this.t0); }
  zoom(by, around = (this.t0 + this.t1) / 2) {
    const span = (this.t1 - this.t0) * by;
    this.window(around - ((around - this.t0) / (this.t1 - this.t0)) * span, span);
  }
  fit() { this.window(0, end() * 1.02 + 1); }
  // Brings a packet into view, with some of what is around it.
  reveal(row) {
    const [a, b] = [from(row), to(row)];
    const span = this.t1 - this.t0;
    if (b < this.t0 + span * 0.02 || a > this.t1 - span * 0.02 || b - a > span) this.window((a + b) / 2 - Math.max(span, (b - a) * 1.3) / 2, Math.max(span, (b - a) * 1.3));
    this.layout();
    const place = home[row];
    if (place) {
      const { scrollTop, clientHeight } = this.host;
      if (place.y < scrollTop + 26) this.host.scrollTop = place.y - 40;
      else if (place.y + place.h > scrollTop + clientHeight) this.host.scrollTop = place.y + place.h - clientHeight + 30;
    }
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    const row = selected();
    const k = e.key;
    if (e.shiftKey && (k === 'ArrowLeft' || k === 'ArrowRight')) { this.pan(k === 'ArrowLeft' ? -0.15 : 0.15); return true; }
    if (k === 'ArrowLeft' || k === 'ArrowRight') { this.step(row, k === 'ArrowRight' ? 1 : -1); return true; }
    if (k === 'ArrowUp' || k === 'ArrowDown') { this.other(row, k === 'ArrowDown' ? 1 : -1); return true; }
    if (k === 'Home' || k === 'End') { const all = allLanes()[this.lane(row)].all; this.choose(k === 'Home' ? all[0] : all[all.length - 1]); return true; }
    if (k === '+' || k === '=') { this.zoom(1 / 1.4, row >= 0 ? (from(row) + to(row)) / 2 : undefined); return true; }
    if (k === '-') { this.zoom(1.4, row >= 0 ? (from(row) + to(row)) / 2 : undefined); return true; }
    if (k === 'f') { this.fit(); return true; }
    if (k === 'z' && row >= 0) { const d = Math.max(100, to(row) - from(row)); this.window(from(row) - d, d * 3); return true; }
    if (k === '[' && row >= 0 && P.after[row] >= 0) { this.choose(P.after[row]); return true; }
    if (k === ']' && row >= 0 && byRow.waiters.has(row)) { this.choose(byRow.waiters.get(row)[0]); return true; }
    if (k === 'h') { this.hazard(row); return true; }
    if (k === 's' && !this.options.compact) { this.stages = !this.stages; this.draw(); return true; }
    if (k === 'Enter' && row >= 0) { show('source'); return true; }
    if (k === 'Escape') { select(-1); return true; }
    return false;
  }
  lane(row) { const all = allLanes(); return row < 0 ? 0 : Math.max(0, all.findIndex((l) => l.name === trackName(row))); }
  step(row, by) {
    const { all } = allLanes()[this.lane(row)];
    const at = row < 0 ? (by > 0 ? -1 : all.length) : all.indexOf(row);
    this.choose(all[Math.min(all.length - 1, Math.max(0, at + by))]);
  }
  other(row, by) {
    const every = allLanes();
    const lane = every[Math.min(every.length - 1, Math.max(0, this.lane(row) + (row < 0 ? 0 : by)))];
    const at = row < 0 ? this.t0 : from(row);
    this.choose(lane.all[Math.min(lane.all.length - 1, lower(lane.all.length, (i) => from(lane.all[i]), at))]);
  }
  hazard(row) {
    const all = D.findings.filter((f) => f.first && rowOf.has(f.second.command));
    if (!all.length) return;
    const at = all.findIndex((f) => rowOf.get(f.second.command) === row);
    this.choose(rowOf.get(all[(at + 1) % all.length].second.command));
  }
  choose(row) { if (row === undefined) return; select(row); this.reveal(row); }

  // Every row with its place from the top.
  layout() {
    // Rows are lower where that shows all queues at once.
    const full = big() ? [28, 20, 13] : [21, 15, 10];
    const wanted = allLanes().reduce((sum, lane) => sum + 9 + lane.rows.reduce((h, r) => h + 2 + full[r.kind === 'work' ? 0 : 1], 0) + (this.stages && !this.options.compact ? lane.stages.length * (full[2] + 2) : 0), 40);
    const part = Math.min(1, Math.max(0.66, this.host.clientHeight / wanted));
    const [work, low] = full.map((h) => Math.floor(h * part));
    const stage = full[2];
    const placed = [];
    let y = 26;
    allLanes().forEach((lane) => {
      const top = y;
      const track = P.track[lane.all[0]];
      const add = (row, h) => { placed.push(Object.assign(row, { y, h, track })); y += h + 2; };
      for (const row of lane.rows) add(row, row.kind === 'work' ? work : low);
      if (this.stages && !this.options.compact) for (const row of lane.stages) add(row, stage);
      placed.push({ kind: 'lane', name: lane.name, y: top, h: y - top, track });
      y += 9;
    });
    this.total = y + 4;
    return placed;
  }

  hit(e) {
    const box = this.host.getBoundingClientRect();
    const [x, y] = [e.clientX - box.left - GUTTER, e.clientY - box.top + this.host.scrollTop];
    if (x < 0 || e.clientY - box.top < 22) return null;
    const perPixel = (this.t1 - this.t0) / this.width();
    const t = this.t0 + x * perPixel;
    const row = this.layout().find((r) => r.items && y >= r.y && y < r.y + r.h);
    if (!row) return null;
    const [start, finish] = row.kind === 'stage' ? [(s) => s[0], (s) => s[1]] : [from, to];
    let best = null, distance = 5 * perPixel;
    for (let i = lower(row.items.length, (k) => (row.items.lasts ? row.items.lasts[k] : finish(row.items[k])), t - distance); i < row.items.length; i += 1) {
      const item = row.items[i];
      if (start(item) > t + distance) break;
      const far = Math.max(start(item) - t, t - finish(item), 0);
      if (far < distance || (far === 0 && best === null)) { best = item; distance = far; }
    }
    if (best === null) return null;
    return row.kind === 'stage' ? { row: best[2], did: `${row.name}: ${time(best[1] - best[0])}` } : { row: best, did: this.spanAt(best, t) };
  }
  spanAt(row, t) {
    const span = (P.spans[row] || []).find((s) => s[0] <= t && t < s[1]);
    return span ? saySpan(span) : '';
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  // While the timeline moves, what was drawn is shifted; what comes to rest is drawn again, exactly.
  paint() {
    const { host } = this;
    const [w, h] = [host.clientWidth, host.clientHeight];
    if (!w || !h || this.onPaper) return;
    const rows = this.layout();
    this.spacer.style.height = `${Math.max(0, this.total - h)}px`;
    const top = host.scrollTop, row = selected(), width = this.width();
    const perPixel = (this.t1 - this.t0) / width;
    const key = [w, h, top, devicePixelRatio, this.total, this.stages, row, state.finding, state.theme, dark(), perPixel.toPrecision(9)].join(' ');
    const again = key === this.paintedKey;
    this.paintedKey = key;
    this.font = `${big() ? 15 : 12}px system-ui, sans-serif`;
    if (!this.near || this.nearOf !== row) { this.near = row >= 0 ? chain(row) : null; this.nearOf = row; }
    const c = fitted(this.canvas, w, h);
    clearTimeout(this.rest);
    if (again && this.t0 !== this.shownAt) {
      this.shift(c, rows, { w, h, top, width, perPixel, key });
      this.rest = setTimeout(() => { this.paintedKey = ''; this.draw(); }, 160);
    } else {
      this.aim(c, this.t0, width, perPixel);
      this.paintAll(rows, w, h, top);
      this.prepare(rows, { w, h, top, width, perPixel, key });
    }
    this.shownAt = this.t0;
    this.paintCursor(h);
    this.paintRuler(w);
    this.tell(row);
  }

  // What is drawn from now on goes to `c`, where `t0` is at the gutter.
  aim(c, t0, width, perPixel) {
    this.c = c; this.scale = { t0, t1: t0 + width * perPixel, width };
    this.x = (t) => GUTTER + (t - t0) / perPixel;
    c.font = this.font; c.textBaseline = 'middle';
  }

  // A drawing that is wider than the window. It is made strip by strip, so that no frame has to wait for all of it.
  // A strip has a canvas of its own: what is drawn into a canvas that was shown makes a browser copy all of it.
  begin(t0, { width, key }, old) {
    return { key, t0, width: width * 2, done: new Set(), canvases: old ? old.canvases : [] };
  }
  paintStrip(wide, strip, rows, { w, h, top, width, perPixel }) {
    if (wide.done.has(strip)) return;
    wide.done.add(strip);
    const left = strip * STRIP, x = strip < 0 ? 0 : GUTTER + left;
    const c = fitted((wide.canvases[strip + 1] ??= document.createElement('canvas')), strip < 0 ? GUTTER : STRIP, h);
    this.aim(c, wide.t0, wide.width, perPixel);
    // What begins near a strip may reach into it.
    this.part = { t0: wide.t0 + (left - NEAR) * perPixel, t1: wide.t0 + (left + STRIP + NEAR) * perPixel, width: STRIP + 2 * NEAR, gutter: strip < 0 };
    c.save(); c.translate(-x, 0);
    try { this.paintAll(rows, w + width, h, top); } finally { c.restore(); this.part = null; }
  }
  // The strips of a drawing that a window shows which begins at `t0`, from the side on which new ones come into view.
  strips(wide, t0, { width, perPixel }) {
    const from = (t0 - wide.t0) / perPixel, last = Math.ceil(wide.width / STRIP) - 1;
    const all = [];
    for (let i = Math.max(0, Math.floor(from / STRIP)); i <= Math.min(last, Math.floor((from + width) / STRIP)); i += 1) all.push(i);
    return all;
  }
  // Draws one strip that will soon be needed; says whether there was one.
  ahead(rows, g, by) {
    const wide = this.wide, step = by < 0 ? -1 : 1, last = Math.ceil(wide.width / STRIP) - 1;
    const seen = this.strips(wide, this.t0, g);
    for (let far = 0; far <= last; far += 1) {
      for (const i of [step > 0 ? seen[seen.length - 1] + far : seen[0] - far, step > 0 ? seen[0] - far : seen[seen.length - 1] + far]) {
        if (i >= 0 && i <= last && !wide.done.has(i)) { this.paintStrip(wide, i, rows, g); return true; }
      }
    }
    // It is whole: the one after it is begun, a whole number of pixels further on, so that nothing jumps.
    const shift = Math.round(g.width * 0.75) * step * g.perPixel;
    if (!by || (this.next && this.next.key === g.key && this.next.t0 === wide.t0 + shift)) {
      const open = by ? this.strips(this.next, step > 0 ? wide.t0 + g.width * g.perPixel : wide.t0, g).find((i) => !this.next.done.has(i)) : undefined;
      if (open === undefined) return false;
      this.paintStrip(this.next, open, rows, g);
    } else this.next = this.begin(wide.t0 + shift, g, this.next);
    return true;
  }
  // At rest, what a movement will show is drawn when there is nothing else to do.
  prepare(rows, g) {
    cancelIdleCallback(this.idle);
    this.idle = requestIdleCallback(() => {
      if (this.paintedKey !== g.key || this.t0 !== this.shownAt || !this.host.isConnected) return;
      if (!this.covers(this.wide, g)) this.wide = this.begin(this.t0 - Math.round(g.width / 2) * g.perPixel, g, this.wide);
      const { c, scale, x } = this;
      const more = this.ahead(rows, g, 0);
      Object.assign(this, { c, scale, x });
      if (more) this.prepare(rows, g);
    });
  }
  covers(wide, { key, perPixel }) { return Boolean(wide) && wide.key === key && this.t0 >= wide.t0 && this.t1 <= wide.t0 + wide.width * perPixel; }

  // Shows part of a drawing that is wider than the window.
  shift(c, rows, g) {
    const { w, h, top, width, perPixel } = g;
    const ratio = devicePixelRatio || 1;
    if (!this.covers(this.wide, g)) {
      if (this.covers(this.next, g)) [this.wide, this.next] = [this.next, this.wide];
      else this.wide = this.begin(this.t0 - Math.round(width / 2) * perPixel, g, this.wide);
    }
    const wide = this.wide;
    const needed = this.strips(wide, this.t0, g).filter((i) => !wide.done.has(i));
    for (const i of [-1, ...needed]) this.paintStrip(wide, i, rows, g);
    if (needed.length < 2) this.ahead(rows, g, this.t0 - this.shownAt);
    const gutter = Math.round(GUTTER * ratio);
    const by = Math.round(((this.t0 - wide.t0) / perPixel) * ratio);
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    const ch = this.canvas.height;
    for (const i of this.strips(wide, this.t0, g)) {
      const x = Math.round(i * STRIP * ratio) - by, cut = Math.max(0, -x), canvas = wide.canvases[i + 1];
      if (cut < canvas.width) c.drawImage(canvas, cut, 0, canvas.width - cut, ch, gutter + x + cut, 0, canvas.width - cut, ch);
    }
    c.drawImage(wide.canvases[0], 0, 0, gutter, ch, 0, 0, gutter, ch);
    c.restore();
    this.aim(c, wide.t0 + (by / ratio) * perPixel, width, perPixel);
    // Names stay in view where their command starts further left.
    c.save(); c.translate(0, -top); c.beginPath(); c.rect(GUTTER, top + 22, w - GUTTER, h); c.clip();
    for (const r of rows) {
      if (r.kind !== 'work' || r.crowded || r.y + r.h < top || r.y > top + h) continue;
      const item = r.items[lower(r.items.length, (i) => to(r.items[i]), this.scale.t0)];
      if (item === undefined || from(item) >= this.scale.t0 || this.x(to(item)) - GUTTER < 30) continue;
      c.fillStyle = color('panel'); c.fillRect(GUTTER, r.y, this.x(to(item)) - GUTTER, r.h);
      this.paintItem(r, item, 1);
    }
    c.restore();
  }

  paintAll(rows, w, h, top) {
    const { c } = this;
    c.fillStyle = color('back');
    c.fillRect(0, 0, w, h);
    c.save();
    c.translate(0, -top);
    for (const r of rows) if (r.y + r.h >= top && r.y <= top + h) this.paintRow(r, w);
    c.beginPath(); c.rect(GUTTER, top + 22, w - GUTTER, h); c.clip();
    this.paintExposed(top, h);
    this.paintArrows(); this.paintHazards();
    c.restore();
  }

  paintRow(r, w) {
    const { c, scale } = this;
    if (r.kind === 'lane') {
      c.strokeStyle = color('line'); c.lineWidth = 1; c.beginPath(); c.moveTo(0, r.y + r.h + 4.5); c.lineTo(w, r.y + r.h + 4.5); c.stroke();
      c.fillStyle = color('text'); c.font = `650 ${this.font}`;
      c.fillText(shorten(c, visible(r.name, 60), 58), 8, r.y + 10); c.font = this.font;
      return;
    }
    const inGutter = !this.part || this.part.gutter;
    const name = r.kind === 'stage' ? r.name.replace('_SHADING', '').replace(/_/g, ' ').toLowerCase() : { work: 'work', barrier: 'barriers', front: 'scopes' }[r.kind];
    c.fillStyle = color('quiet'); c.font = `${big() ? 13 : 11}px system-ui, sans-serif`; c.textAlign = 'right';
    if (inGutter) c.fillText(shorten(c, name, 62), GUTTER - 7, r.y + r.h / 2 + 0.5);
    c.textAlign = 'left'; c.font = this.font;
    c.save(); c.beginPath(); c.rect(GUTTER, r.y - 2, w - GUTTER, r.h + 4); c.clip();
    c.fillStyle = color('panel'); c.fillRect(GUTTER, r.y, w - GUTTER, r.h);
    const isStage = r.kind === 'stage';
    // What is narrow is drawn together with its neighbours: a screen has few pixels, and a run may have many things. What is
    // wide is drawn after it, so that one fill serves for all that is narrow.
    const [start, finish] = isStage ? [(s) => s[0], (s) => s[1]] : [from, to];
    const kind = isStage ? 'stage' : { work: 'work', barrier: 'drain', front: 'launch' }[r.kind];
    let x0 = 0, x1 = -1;
    const wide = [];
    c.globalAlpha = this.near ? 0.3 : 1; c.fillStyle = color(LOOK[kind][0]);
    const flush = () => { if (x1 > x0) c.fillRect(x0, r.y, x1 - x0, r.h); x1 = -1; };
    visibleItems(r.items, start, finish, this.part || scale, (item, n) => {
      const a = this.x(start(item)), b = Math.max(this.x(finish(item)), a + 1);
      if (b - a <= 3 && !(n === 1 && this.near && !isStage && (this.near.back.has(item) || this.near.on.has(item)))) {
        if (x1 >= 0 && a <= x1 + 0.5) { x1 = Math.max(x1, b); return; }
        flush(); x0 = a; x1 = b;
      } else wide.push(item, n);
    });
    flush();
    c.globalAlpha = 1;
    for (let i = 0; i < wide.length; i += 2) {
      if (isStage) this.bar('stage', wide[i][0], wide[i][1], r, wide[i][2]);
      else this.paintItem(r, wide[i], wide[i + 1]);
    }
    c.restore();
  }

  bar(kind, a, b, r, row) {
    const { c } = this;
    const x0 = this.x(a), x1 = Math.max(this.x(b), x0 + 1);
    c.globalAlpha = this.near && !this.near.back.has(row) && !this.near.on.has(row) ? 0.3 : 1;
    // A pattern needs room to be seen.
    c.fillStyle = x1 - x0 < 5 ? color(LOOK[kind][0]) : fill(c, kind);
    c.fillRect(x0, r.y, x1 - x0, r.h);
    c.globalAlpha = 1;
    return [x0, x1];
  }

  paintItem(r, row, n) {
    const { c } = this;
    const [a, b] = [from(row), to(row)];
    const spans = r.kind === 'work' ? null : P.spans[row];
    let [x0, x1] = [this.x(a), Math.max(this.x(b), this.x(a) + 1)];
    if (spans && spans.length && x1 - x0 > 2) for (const s of spans) this.bar(DID[W[s[2]]] || 'wait', s[0], s[1], r, row);
    else [x0, x1] = this.bar(r.kind === 'work' ? 'work' : r.kind === 'barrier' ? 'drain' : P.kind[row] === 'f' ? 'fence' : 'launch', a, b, r, row);
    if (n > 1) return;
    if (x1 - x0 > 3) {
      // Its end, so that it is told from the next.
      c.fillStyle = color('back'); c.fillRect(x1 - 1, r.y, 1, r.h);
      if (isCritical(row)) { c.fillStyle = color('critical'); const edge = r.h < 16 ? 2 : 3; c.fillRect(x0, r.y + r.h - edge, x1 - x0, edge); }
    }
    const left = Math.max(x0, GUTTER);
    if (x1 - left > 26 && r.h > 11 && r.kind === 'work' && !r.crowded) {
      c.fillStyle = color('work-text');
      // Low rows have small letters, so that an outline does not cross them.
      if (r.h < 16) c.font = `${Math.max(9, r.h - 3)}px system-ui, sans-serif`;
      c.fillText(shorten(c, shortName(row), x1 - left - (flagged().has(row) ? FLAG + 4 : 8)), left + 4, r.y + r.h / 2);
      if (r.h < 16) c.font = this.font;
    }
    if (this.near && (this.near.back.has(row) || this.near.on.has(row))) {
      const own = row === selected();
      c.strokeStyle = color(own ? 'mark-line' : 'text'); c.lineWidth = own ? (r.h < 16 ? 3 : 4) : (r.h < 16 ? 1 : 2);
      c.setLineDash(this.near.back.has(row) ? [] : [4, 3]);
      c.strokeRect(x0 + 1, r.y + 1, Math.max(2, x1 - x0 - 2), r.h - 2); c.setLineDash([]);
    }
  }

  yOf(row) { const place = home[row]; return place ? place.y + place.h / 2 : undefined; }

  paintArrows() {
    const { c } = this, view = this.part || this.scale;
    c.lineWidth = 1.6;
    for (const [a, b] of X.arrows.slice(0, 2000)) {
      if (P.end[b] < view.t0 || P.end[a] > view.t1) continue;
      this.arrow(this.x(P.end[a]), this.yOf(a), this.x(P.end[b]), this.yOf(b), 'fence', [6, 3]);
    }
    if (!this.near) return;
    for (const row of this.near.back) {
      const before = P.after[row];
      if (before >= 0 && !(Math.max(to(row), to(before)) < view.t0 || Math.min(from(row), to(before)) > view.t1)) {
        this.arrow(this.x(to(before)), this.yOf(before), this.x(Math.max(from(row), Math.min(to(row), to(before)))), this.yOf(row), 'text', []);
      }
    }
  }
  arrow(x0, y0, x1, y1, name, dash) {
    if (y0 === undefined || y1 === undefined) return;
    const { c } = this;
    c.strokeStyle = c.fillStyle = color(name === 'fence' ? 'accent' : name); c.setLineDash(dash);
    const bow = Math.min(40, Math.abs(x1 - x0) / 2 + 8);
    c.beginPath(); c.moveTo(x0, y0); c.bezierCurveTo(x0 + bow, y0, x1 - bow, y1, x1, y1); c.stroke(); c.setLineDash([]);
    c.beginPath(); c.moveTo(x1 + 1, y1); c.lineTo(x1 - 7, y1 - 4); c.lineTo(x1 - 7, y1 + 4); c.fill();
  }

  // Both sides of hazards, with a link. Of several that would lie on each other, one is drawn.
  paintHazards() {
    const { c } = this;
    const drawn = new Set();
    for (const [a, b, i] of hazardPairs()) {
      if (to(b) < this.scale.t0 || from(a) > this.scale.t1 || (drawn.size > 30 && state.finding !== String(i))) continue;
      const own = state.finding === String(i);
      const [xa, ya, xb, yb] = [this.flagAt(a), this.yOf(a), this.flagAt(b), this.yOf(b)];
      if (ya === undefined || yb === undefined) continue;
      const key = `${Math.round(xa / 12)} ${ya} ${Math.round(xb / 12)} ${yb}`;
      if (drawn.has(key) && !own) continue;
      drawn.add(key);
      c.strokeStyle = color('hazard'); c.lineWidth = own ? 3.5 : 2; c.setLineDash(drawn.size > 8 ? [] : [2, 3]);
      c.beginPath(); c.moveTo(xa, ya); c.quadraticCurveTo((xa + xb) / 2, Math.min(ya, yb) - 26, xb, yb); c.stroke(); c.setLineDash([]);
      this.flag(xa, ya, '1'); this.flag(xb, yb, '2');
    }
  }
  // In the middle of what is narrow; of what has room for a name, at its end, where no name is.
  flagAt(row) {
    const x0 = this.x(from(row)), x1 = this.x(to(row));
    return x1 - x0 > FLAG + 12 ? Math.max(Math.min(x1, this.x(this.scale.t1)) - FLAG / 2, Math.min(x0 + FLAG, x1 - FLAG / 2)) : (x0 + x1) / 2;
  }
  flag(x, y, number) {
    const { c } = this;
    c.fillStyle = color('back'); c.strokeStyle = color('hazard'); c.lineWidth = 2;
    c.beginPath(); c.moveTo(x, y - 10); c.lineTo(x + 9, y + 6); c.lineTo(x - 9, y + 6); c.closePath(); c.fill(); c.stroke();
    c.fillStyle = color('hazard'); c.textAlign = 'center'; c.font = '700 10px system-ui, sans-serif';
    c.fillText(number, x, y + 1); c.textAlign = 'left'; c.font = this.font;
  }

  paintExposed(top, h) {
    const { c, scale } = this;
    let x0 = 0, x1 = -1;
    c.globalAlpha = 0.35; c.fillStyle = fill(c, 'exposed');
    visibleItems(X.exposed, (e) => e[0], (e) => e[1], this.part || scale, (e) => {
      const [a, b] = [this.x(e[0]), Math.max(this.x(e[1]), this.x(e[0]) + 1)];
      if (x1 >= 0 && a <= x1 + 0.5) { x1 = Math.max(x1, b); return; }
      if (x1 > x0) c.fillRect(x0, top + 22, x1 - x0, h);
      x0 = a; x1 = b;
    });
    if (x1 > x0) c.fillRect(x0, top + 22, x1 - x0, h);
    c.globalAlpha = 1;
  }

  paintCursor(h) {
    if (this.cursor === null) return;
    const { c } = this;
    const x = this.x(this.cursor);
    if (x < GUTTER) return;
    c.strokeStyle = color('hazard'); c.lineWidth = 2; c.beginPath(); c.moveTo(x, 22); c.lineTo(x, h); c.stroke();
  }

  paintRuler(w) {
    const { c } = this;
    c.fillStyle = color('back'); c.fillRect(0, 0, w, 22);
    c.strokeStyle = color('line'); c.lineWidth = 1; c.fillStyle = color('quiet');
    for (const t of ticks(this.scale.t0, this.scale.t1, this.scale.width)) {
      const x = Math.round(this.x(t)) + 0.5;
      if (x < GUTTER) continue;
      c.beginPath(); c.moveTo(x, 15); c.lineTo(x, 22); c.stroke();
      const words = shortTime(t, this.t1 - this.t0);
      if (x + measured(c, words) + 8 < w) c.fillText(words, x + 3, 9);
    }
    c.beginPath(); c.moveTo(0, 22.5); c.lineTo(w, 22.5); c.stroke();
  }

  // What is selected, for those who hear it.
  tell(row) {
    const words = row < 0 ? 'Nothing selected. Arrow keys move.' : describe(row).map((n) => n.textContent).join('. ');
    if (this.option.textContent !== words) this.option.textContent = words;
    const all = row < 0 ? null : allLanes()[this.lane(row)].all;
    this.option.setAttribute('aria-posinset', all ? all.indexOf(row) + 1 : 0);
    this.option.setAttribute('aria-setsize', all ? all.length : P.id.length);
  }
}

function end() { return Math.max(1, D.makespan_ps || 1); }
function saySpan([a, b, did, target]) { return `${W[did]}${W[target] ? ` ${W[target]}` : ''}: ${time(b - a)}`; }

// What, why, how long, after what.
function describe(row, did = '') {
  const lines = [el('b', {}, label(row)), el('div', {}, `${P.id[row]} on ${trackName(row)}, line ${P.line[row]}`)];
  if (did) lines.push(el('div', {}, `here: ${did}`));
  lines.push(el('div', {}, `${time(from(row))} to ${time(to(row))}: ${time(to(row) - from(row))}`));
  const after = P.after[row];
  if (after >= 0) lines.push(el('div', {}, `after ${label(after)} (${P.id[after]}): ${W[P.because[row]]}`));
  const n = (byRow.waiters.get(row) || []).length;
  if (n) lines.push(el('div', {}, `${count(n, 'other')} had to wait for it`));
  const own = byRow.findings.get(row) || [];
  for (const i of own.slice(0, 3)) lines.push(el('div', { class: D.findings[i].severity }, `${SIGN[D.findings[i].severity]} ${D.findings[i].rule}: ${D.findings[i].message}`));
  if (isCritical(row)) lines.push(el('div', {}, 'on the critical path'));
  return lines;
}

function legend(entries) {
  return el('div', { class: 'legend', 'aria-label': 'Legend' }, entries.map(([kind, words]) => {
    const sample = el('canvas', { 'aria-hidden': 'true' });
    const c = fitted(sample, 22, 12);
    c.fillStyle = fill(c, kind); c.fillRect(0, 0, 22, 12); c.strokeStyle = color('line'); c.strokeRect(0.5, 0.5, 21, 11);
    return el('span', {}, sample, words);
  }));
}

let mainTimeline = null;
function viewTimeline(view) {
  const host = el('div', { id: 'timeline' });
  const found = el('span', { role: 'status', class: 'note' });
  const search = el('input', { type: 'search', placeholder: 'command or resource', 'aria-label': 'Find a command or barrier', id: 'search' });
  let hits = [], at = -1;
  const look = (by) => {
    const words = search.value.trim().toLowerCase();
    if (words !== look.words) {
      look.words = words; at = by > 0 ? -1 : 0;
      hits = words ? [...P.id.keys()].filter((r) => label(r).toLowerCase().includes(words) || P.id[r].toLowerCase() === words) : [];
    }
    if (!hits.length) { found.textContent = words ? 'nothing found' : ''; return; }
    at = (at + by + hits.length) % hits.length;
    found.textContent = `${at + 1} of ${hits.length}`;
    mainTimeline.choose(hits[at]);
  };
  search.addEventListener('keydown', (e) => { if (e.key === 'Enter') { look(e.shiftKey ? -1 : 1); e.preventDefault(); } });
  const button = (words, title, act) => el('button', { type: 'button', title, 'aria-label': title, onclick: act }, words);
  view.append(
    el('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Timeline' },
      button('−', 'Zoom out', () => mainTimeline.zoom(1.6)), button('+', 'Zoom in', () => mainTimeline.zoom(1 / 1.6)),
      button('Fit', 'Show the whole run', () => mainTimeline.fit()), button('◀', 'Pan left', () => mainTimeline.pan(-0.3)), button('▶', 'Pan right', () => mainTimeline.pan(0.3)),
      button('Stages', 'Show or hide the stages', () => { mainTimeline.stages = !mainTimeline.stages; mainTimeline.draw(); }),
      search, button('Next', 'Next one found', () => look(1)), found),
    host,
    legend([['work', 'work'], ['stage', 'a stage'], ['drain', 'drain, wait'], ['cache', 'cache operation'], ['layout', 'layout operation'], ['fence', 'fence wait'],
      ['launch', 'launch, scope, signal'], ['exposed', 'nothing runs: exposed stall']]));
  view.lastChild.append(el('span', {}, '▁ thick edge: critical path'), el('span', { class: 'hazard' }, '△1 ┄ △2 hazard'), el('span', {}, '┄➤ fence'));
  mainTimeline = new Timeline(host, { id: 'main', keeps: true });
  if (state.t1 !== '') mainTimeline.window(Number(state.t0), Number(state.t1) - Number(state.t0)); else mainTimeline.fit();
  if (selected() >= 0) mainTimeline.reveal(selected());
  return { changed: (keys) => { if (keys.some((k) => ['sel', 'finding', 'theme'].includes(k))) mainTimeline.draw(); }, focus: () => host.focus() };
}
