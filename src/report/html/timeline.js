// Queues along time: work in as many rows as overlap, below it barriers and waits, below those the stages.

class Timeline extends Strips {
  constructor(host, options = {}) {
    super();
    this.host = host;
    this.options = options;
    this.run = options.run || asWritten;
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
    hear(window, 'beforeprint', () => this.print(true));
    hear(window, 'afterprint', () => this.print(false));
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
    host.addEventListener('scroll', () => { if (this.peer) this.peer.host.scrollTop = host.scrollTop; this.draw(); });
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
    this.moved();
    if (this.peer) { Object.assign(this.peer, { t0: this.t0, t1: this.t1 }); this.peer.moved(); }
  }
  moved() {
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
    if (never.has(row)) return;
    const [a, b] = [from(row), to(row)];
    const span = this.t1 - this.t0;
    if (b < this.t0 + span * 0.02 || a > this.t1 - span * 0.02 || b - a > span) this.window((a + b) / 2 - Math.max(span, (b - a) * 1.3) / 2, Math.max(span, (b - a) * 1.3));
    this.bring(row);
  }
  // Scrolls to the row that a packet is in.
  bring(row) {
    this.layout();
    this.spacer.style.height = `${Math.max(0, this.total - this.host.clientHeight)}px`;
    const place = home[row];
    if (place) {
      const { scrollTop, clientHeight } = this.host;
      if (place.y < scrollTop + 26) this.host.scrollTop = place.y - 40;
      else if (place.y + place.h > scrollTop + clientHeight) this.host.scrollTop = place.y + place.h - clientHeight + 30;
    }
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    const row = this.run.selected();
    const k = e.key;
    if (e.shiftKey && (k === 'ArrowLeft' || k === 'ArrowRight')) { this.pan(k === 'ArrowLeft' ? -0.15 : 0.15); return true; }
    if (k === 'ArrowLeft' || k === 'ArrowRight') { this.step(row, k === 'ArrowRight' ? 1 : -1); return true; }
    if (k === 'ArrowUp' || k === 'ArrowDown') { this.other(row, k === 'ArrowDown' ? 1 : -1); return true; }
    if (k === 'Home' || k === 'End') { const all = this.lanes()[this.lane(row)].all; this.choose(k === 'Home' ? all[0] : all[all.length - 1]); return true; }
    if (k === '+' || k === '=') { this.zoom(1 / 1.4, row >= 0 ? (from(row) + to(row)) / 2 : undefined); return true; }
    if (k === '-') { this.zoom(1.4, row >= 0 ? (from(row) + to(row)) / 2 : undefined); return true; }
    if (k === 'f') { this.fit(); return true; }
    if (k === 'z' && row >= 0) { const d = Math.max(100, to(row) - from(row)); this.window(from(row) - d, d * 3); return true; }
    if (k === '[' && row >= 0 && P.after[row] >= 0) { this.choose(P.after[row]); return true; }
    if (k === ']' && row >= 0 && byRow.waiters.has(row)) { this.choose(byRow.waiters.get(row)[0]); return true; }
    if (k === 'h') { this.hazard(row); return true; }
    if (k === 's' && !this.options.compact) { this.showStages(!this.stages); return true; }
    if (k === 'Enter' && row >= 0) { show('source'); return true; }
    if (k === 'Escape') { if (comparing()) { endComparing(); return true; } select(-1); return true; }
    return false;
  }
  lanes() { return lanesOf(this.run); }
  // With the timeline that is on the same axis, if there is one.
  showStages(are) { for (const one of [this, this.peer].filter(Boolean)) { one.stages = are; one.draw(); } }
  lane(row) { const all = this.lanes(); return row < 0 ? 0 : Math.max(0, all.findIndex((l) => l.name === trackName(row))); }
  step(row, by) {
    const { all } = this.lanes()[this.lane(row)];
    const at = row < 0 ? (by > 0 ? -1 : all.length) : all.indexOf(row);
    this.choose(all[Math.min(all.length - 1, Math.max(0, at + by))]);
  }
  other(row, by) {
    const every = this.lanes();
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
    // Rows are lower where that shows all queues at once, and higher where there is room.
    const full = big() ? [28, 20, 13] : [21, 15, 10];
    const wanted = this.lanes().reduce((sum, lane) => sum + 9 + lane.rows.reduce((h, r) => h + 2 + full[['work', 'open'].includes(r.kind) ? 0 : 1], 0) + (this.stages && !this.options.compact ? lane.stages.length * (full[2] + 2) : 0), 40);
    const part = Math.min(3.6, Math.max(0.66, this.host.clientHeight / wanted));
    const [work, low] = full.map((h) => Math.floor(h * part));
    const stage = Math.floor(full[2] * Math.max(1, part));
    const placed = [];
    // Room for the bows of hazards over the first row.
    let y = 36;
    this.lanes().forEach((lane) => {
      const top = y;
      const track = P.track[lane.all[0]];
      const add = (row, h) => { placed.push(Object.assign(row, { y, h, track })); y += h + 2; };
      for (const row of lane.rows) add(row, ['work', 'open'].includes(row.kind) ? work : low);
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
    if (this.isLater(t)) return null;
    const row = this.layout().find((r) => r.items && y >= r.y && y < r.y + r.h);
    if (!row) return null;
    const [start, finish] = row.kind === 'stage' ? [(s) => s[0], (s) => s[1]] : [from, to];
    let best = null, distance = 5 * perPixel;
    for (let i = lower(row.items.length, (k) => (extents(row.items, start, finish).lasts[k]), t - distance); i < row.items.length; i += 1) {
      const item = row.items[i];
      if (start(item) > t + distance) break;
      if (this.isLater(start(item))) continue;
      const far = Math.max(start(item) - t, t - finish(item), 0);
      if (far < distance || (far === 0 && best === null)) { best = item; distance = far; }
    }
    if (best === null) return null;
    if (this.isTold()) return { row: row.kind === 'stage' ? best[2] : best, did: '' };
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
    const top = host.scrollTop, row = this.run.selected(), width = this.width();
    const perPixel = (this.t1 - this.t0) / width;
    const key = [w, h, top, devicePixelRatio, this.total, this.stages, row, state.finding, state.theme, dark(), this.isTold() ? this.cursor : '', perPixel.toPrecision(9)].join(' ');
    const again = key === this.paintedKey;
    this.paintedKey = key;
    this.font = `${big() ? 15 : 12}px system-ui, sans-serif`;
    // What waits for it comes later.
    if (!this.near || this.nearOf !== row) { this.near = row >= 0 && !this.isTold() ? chain(row) : null; this.nearOf = row; }
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
    this.veil(w, h);
    this.paintCursor(h);
    this.paintRuler(w);
    this.tell(row);
  }

  // What is selected, for those who hear it.
  tell(row) {
    const words = row < 0 ? 'Nothing selected. Arrow keys move.' : describe(row).map((n) => n.textContent).join('. ');
    if (this.option.textContent !== words) this.option.textContent = words;
    const all = row < 0 ? null : this.lanes()[this.lane(row)].all;
    this.option.setAttribute('aria-posinset', all ? all.indexOf(row) + 1 : 0);
    this.option.setAttribute('aria-setsize', all ? all.length : this.run.rows.length);
  }
}

// Until when timelines go: two on one axis until the later end of both.
function end() { const copy = comparedRun(); return Math.max(1, D.until_ps || 1, copy ? copy.until : 0); }
function saySpan([a, b, did, target, by]) {
  const what = W[did] === 'held by barrier' ? `held by ${sayHolder(by, W[target])}` : `${W[did]}${W[target] ? ` ${W[target]}` : ''}`;
  return `${what}: ${time(b - a)}`;
}
// Who holds a command: a barrier by its id, and what else holds by what it is.
function sayHolder(by, id) {
  if (by < 0) return id;
  const who = P.kind[by] === 'b' ? id : `${label(by)} (${id})`;
  return `${who}, line ${P.line[by]}`;
}

// What, why, how long, after what.
function describe(row, did = '') {
  const lines = [el('b', {}, label(row)), el('div', {}, `${P.id[row]} on ${trackName(row)}, line ${P.line[row]}`)];
  const until = toldUntil();
  if (until !== null) return lines.concat(soFar(row, until).map(([what, when]) => el('div', {}, `${what} ${when}`)));
  if (open.has(row)) return [...lines, el('div', {}, `since ${time(from(row))}, for ever: ${open.get(row).says}`)];
  if (never.has(row)) return [...lines, el('div', {}, 'never starts')];
  if (did) lines.push(el('div', {}, `here: ${did}`));
  lines.push(el('div', {}, `${time(began(row))} to ${time(to(row))}: ${time(to(row) - began(row))}`));
  const after = P.after[row];
  if (after >= 0) lines.push(el('div', {}, `after ${label(after)} (${P.id[after]}): ${W[P.because[row]]}`));
  for (const [, , says] of misreads.get(row) || []) lines.push(el('div', { class: 'hazard' }, `✗ ${says}`));
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
  const other = comparedRun();
  const host = el('div', { id: 'timeline' });
  const found = el('span', { role: 'status', class: 'note' });
  const search = el('input', { type: 'search', placeholder: 'command or resource', 'aria-label': 'Find a command or barrier', id: 'search' });
  let hits = [], at = -1;
  const look = (by) => {
    const words = search.value.trim().toLowerCase();
    if (words !== look.words) {
      look.words = words; at = by > 0 ? -1 : 0;
      hits = words ? asWritten.rows.filter((r) => label(r).toLowerCase().includes(words) || P.id[r].toLowerCase() === words) : [];
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
      button('Stages', 'Show or hide the stages', () => mainTimeline.showStages(!mainTimeline.stages)),
      search, button('Next', 'Next one found', () => look(1)), found),
    ...beside(host),
    legend([['work', 'work'], ['stage', 'a stage'], ['held', 'held by a barrier'], ['turn', 'waits its turn'], ['drain', 'barrier drains: waits for earlier work'], ['wait', 'cost of a wait'],
      ['cache', 'cache operation'], ['layout', 'layout operation'], ['fence', 'fence wait'], ['launch', 'launch'], ['signal', 'signal'], ...(open.size ? [['never', 'never ends']] : []), ['exposed', 'nothing runs: exposed stall']]));
  view.lastChild.append(el('span', {}, '▁ thick edge: critical path'), el('span', { class: 'hazard' }, '△1 ┄ △2 hazard'), el('span', {}, '┄➤ fence'), open.size > 1 ? el('span', { class: 'hazard' }, '➤ is kept from its signal by') : '', other ? el('span', { class: 'hazard' }, '⊗ bad read') : '');
  mainTimeline = new Timeline(host, { id: 'main', keeps: true, stages: !other });
  copyTimeline = null;
  if (other) {
    copyTimeline = new Timeline(byId('timeline-without'), { id: 'without', run: other, stages: false });
    Object.assign(mainTimeline, { peer: copyTimeline });
    Object.assign(copyTimeline, { peer: mainTimeline });
    // What goes wrong is in view, also where there are many rows.
    // Not before there is room for it: a page may open here.
    const copy = copyTimeline;
    if (other.misreads.length) requestAnimationFrame(() => copy.bring(other.misreads[0][0]));
  }
  if (state.t1 !== '') mainTimeline.window(Number(state.t0), Number(state.t1) - Number(state.t0)); else mainTimeline.fit();
  if (selected() >= 0) mainTimeline.reveal(selected());
  return { changed: (keys) => { if (keys.some((k) => ['sel', 'finding', 'theme'].includes(k))) { mainTimeline.draw(); if (copyTimeline) copyTimeline.draw(); } }, focus: () => host.focus() };
}
