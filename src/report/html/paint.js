// How a timeline is painted, on a canvas: rows of bars, arrows, hazards, a ruler.

const GUTTER = 132;
// Room that the flag of a hazard takes.
const FLAG = 22;
// Bars up to this width have no room for pieces, edges or names: neighbours are drawn together.
const NARROW = 3;
const big = () => innerWidth >= 1900;

class Painter {
  // What is drawn from now on goes to `c`, where `t0` is at the gutter.
  aim(c, t0, width, perPixel) {
    this.c = c; this.scale = { t0, t1: t0 + width * perPixel, width };
    this.x = (t) => GUTTER + (t - t0) / perPixel;
    c.font = this.font; c.textBaseline = 'middle';
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
    if (!this.bare) { this.paintArrows(); this.paintHazards(); this.paintMisreads(); }
    c.restore();
  }

  paintRow(r, w) {
    const { c } = this;
    if (r.kind === 'lane') {
      c.strokeStyle = color('line'); c.lineWidth = 1; c.beginPath(); c.moveTo(0, r.y + r.h + 4.5); c.lineTo(w, r.y + r.h + 4.5); c.stroke();
      c.fillStyle = color('text'); c.font = `650 ${this.font}`;
      c.fillText(shortenMiddle(c, visible(r.name, 400), 58), 8, r.y + 10); c.font = this.font;
      return;
    }
    const inGutter = !this.part || this.part.gutter;
    const name = r.kind === 'stage' ? r.name.replace('_SHADING', '').replace(/_/g, ' ').toLowerCase() : { work: 'work', barrier: 'barriers', front: 'scopes', open: 'waits' }[r.kind];
    c.fillStyle = color('quiet'); c.font = `${big() ? 13 : 11}px system-ui, sans-serif`; c.textAlign = 'right';
    if (inGutter) c.fillText(shorten(c, name, 62), GUTTER - 7, r.y + r.h / 2 + 0.5);
    c.textAlign = 'left'; c.font = this.font;
    c.save(); c.beginPath(); c.rect(GUTTER, r.y - 2, w - GUTTER, r.h + 4); c.clip();
    c.fillStyle = color('panel'); c.fillRect(GUTTER, r.y, w - GUTTER, r.h);
    this.paintBars(r);
    c.restore();
  }

  // What is narrow is drawn together with its neighbours: a screen has few pixels, and a run may have many things. What is wide is
  // drawn after it, so that one fill serves for all that is narrow: what waited, then what was done.
  paintBars(r) {
    const { c, scale } = this;
    const isStage = r.kind === 'stage';
    const [start, finish] = isStage ? [(s) => s[0], (s) => s[1]] : [from, to];
    const kind = isStage ? 'stage' : { work: 'work', barrier: 'drain', front: 'signal', open: 'never' }[r.kind];
    const wide = [], waited = this.merged(r), done = this.merged(r);
    const isNear = (item) => this.near && !isStage && (this.near.back.has(item) || this.near.on.has(item));
    visibleItems(r.items, start, finish, this.part || scale, (item, n) => {
      const a = this.x(start(item)), b = Math.max(this.x(finish(item)), a + 1);
      if (b - a > NARROW || (n === 1 && isNear(item))) { wide.push([item, n]); return; }
      const at = r.kind === 'work' ? this.x(began(item)) : a;
      waited.add(a, at);
      done.add(at, Math.max(b, at + 1));
    });
    c.globalAlpha = this.near ? 0.3 : 1;
    waited.paint(color('held')); done.paint(color(LOOK[kind][0]));
    c.globalAlpha = 1;
    for (const [item, n] of wide) {
      if (isStage) this.bar('stage', item[0], item[1], r, item[2]);
      else this.paintItem(r, item, n);
    }
  }
  // Bars of one colour: those that touch become one.
  merged(r) {
    const { c } = this, all = [];
    return {
      add: (a, b) => {
        const last = all[all.length - 1];
        if (b <= a) return;
        if (last && a <= last[1] + 0.5) last[1] = Math.max(last[1], b); else all.push([a, b]);
      },
      paint: (style) => { c.fillStyle = style; for (const [a, b] of all) c.fillRect(a, r.y, b - a, r.h); },
    };
  }

  bar(kind, a, b, r, row) {
    const { c } = this;
    const x0 = this.x(a), x1 = Math.max(this.x(b), x0 + 1);
    c.globalAlpha = this.near && !this.near.back.has(row) && !this.near.on.has(row) ? 0.3 : 1;
    // A pattern needs room to be seen.
    c.fillStyle = x1 - x0 < 5 ? color(LOOK[kind][0]) : fill(c, kind);
    c.fillRect(x0, r.y, x1 - x0, r.h);
    if (isPale(kind) && x1 - x0 > NARROW) { c.strokeStyle = color(LOOK[kind][0]); c.lineWidth = 1; c.strokeRect(x0 + 0.5, r.y + 0.5, x1 - x0 - 1, r.h - 1); }
    c.globalAlpha = 1;
  }

  // A packet: solid where it makes progress, an outline where it waits.
  paintItem(r, row, n) {
    const { c } = this;
    const x0 = this.x(from(row)), x1 = Math.max(this.x(to(row)), x0 + 1);
    const all = piecesOf(row);
    if (x1 - x0 > 2) for (const [a, b, look] of all) this.bar(look, a, b, r, row);
    else this.bar(all[all.length - 1][2], from(row), to(row), r, row);
    if (n > 1) return;
    if (x1 - x0 > NARROW) {
      // Its end, so that it is told from the next.
      c.fillStyle = color('back'); c.fillRect(x1 - 1, r.y, 1, r.h);
      if (!this.isTold() && isCritical(row)) this.edge(r, all);
    }
    if (r.h > 11 && r.kind === 'work' && !r.crowded) this.names(r, row, all);
    if (open.has(row)) {
      // Arrows between waits that keep each other's signals are right of the words.
      const left = Math.max(x0, GUTTER), right = this.x(this.scale.t1), end = open.size > 1 ? Math.min(right, left + (this.x(D.until_ps) - left) * 0.7) : right;
      this.onGround(shorten(c, `${label(row)}: ${open.get(row).says}`, end - left - 12), left + 6, r);
    }
    if (this.near && (this.near.back.has(row) || this.near.on.has(row))) {
      const own = row === this.run.selected();
      c.strokeStyle = color(own ? 'mark-line' : 'text'); c.lineWidth = own ? (r.h < 16 ? 3 : 4) : (r.h < 16 ? 1 : 2);
      c.setLineDash(this.near.back.has(row) ? [] : [4, 3]);
      c.strokeRect(x0 + 1, r.y + 1, Math.max(2, x1 - x0 - 2), r.h - 2); c.setLineDash([]);
    }
  }

  // A thick lower edge below what is on the critical path.
  edge(r, all) {
    const { c } = this, height = r.h < 16 ? 2 : 3;
    c.fillStyle = color('critical');
    for (const [a, b, look] of all) if (!isPale(look)) c.fillRect(this.x(a), r.y + r.h - height, Math.max(1, this.x(b) - this.x(a)), height);
  }

  // The name of a command, in the longest of its pieces that is in view, and who holds it where it is held.
  names(r, row, all) {
    const { c } = this;
    const seen = (a, b) => Math.min(this.x(b), this.x(this.scale.t1)) - Math.max(this.x(a), GUTTER);
    const widest = (list) => list.reduce((best, one) => (!best || seen(one[0], one[1]) > seen(best[0], best[1]) ? one : best), null);
    const own = widest(all.filter((piece) => !isPale(piece[2]))) || [began(row), to(row), 'work'];
    // Low rows have small letters, so that an outline does not cross them.
    if (r.h < 16) c.font = `${Math.max(9, r.h - 3)}px system-ui, sans-serif`;
    if (seen(own[0], own[1]) > 26) {
      const left = Math.max(this.x(own[0]), GUTTER), right = left + seen(own[0], own[1]);
      const near = (edge) => flagsOf(row).some((t) => Math.abs(this.x(t) - edge) < FLAG);
      const from = left + (near(left) ? FLAG / 2 + 4 : 4);
      c.fillStyle = color('work-text');
      c.fillText(shorten(c, shortName(row), right - from - (near(right) ? FLAG / 2 + 4 : 4)), from, r.y + r.h / 2);
    }
    const held = widest(spansOf(row).filter((span) => DID[W[span[2]]] === 'held'));
    if (held) {
      const room = seen(held[0], held[1]) - 12, name = seen(own[0], own[1]) > 26 ? '' : `${shortName(row)}: `;
      const words = room > 60 ? shorten(c, `${name}held by ${W[held[3]]}`, room) : '';
      if (words) this.onGround(words, Math.max(this.x(held[0]), GUTTER) + 6, r);
    }
    c.font = this.font;
  }
  // Letters on a pattern have a ground of their own.
  onGround(words, x, r) {
    const { c } = this;
    c.fillStyle = color('back'); c.fillRect(x - 2, r.y + 2, measured(c, words) + 4, r.h - 4);
    c.fillStyle = color('text'); c.fillText(words, x, r.y + r.h / 2);
  }

  // Whether a row is of the run that is drawn.
  has(row) { return (this.run.own ??= new Set(this.run.rows)).has(row); }
  yOf(row) { const place = home[row]; return place ? place.y + place.h / 2 : undefined; }

  paintArrows() {
    const { c } = this, view = this.part || this.scale;
    c.lineWidth = 1.6;
    for (const [a, b] of this.run.arrows.slice(0, 2000)) {
      if (P.end[b] < view.t0 || P.end[a] > view.t1 || this.isLater(P.end[b])) continue;
      this.arrow(this.x(P.end[a]), this.yOf(a), this.x(P.end[b]), this.yOf(b), 'fence', [6, 3]);
    }
    // A wait that another one keeps from its signal: from what waits to what keeps it.
    let next = 0;
    for (const [row, { behind }] of open) {
      if (behind < 0 || this.isTold() || !this.has(row)) continue;
      const since = Math.max(from(row), from(behind)), x = this.x(since + (D.until_ps - since) * (0.72 + 0.07 * next));
      this.upright(x, this.yOf(row), this.yOf(behind));
      next = (next + 1) % 4;
    }
    if (!this.near) return;
    for (const row of this.near.back) {
      const before = P.after[row];
      if (before >= 0 && !(Math.max(to(row), to(before)) < view.t0 || Math.min(from(row), to(before)) > view.t1)) {
        this.arrow(this.x(to(before)), this.yOf(before), this.x(Math.max(from(row), Math.min(to(row), to(before)))), this.yOf(row), 'text', []);
      }
    }
  }
  upright(x, y0, y1) {
    const { c } = this, way = y1 > y0 ? 1 : -1;
    c.strokeStyle = c.fillStyle = color('hazard'); c.lineWidth = 2.5;
    c.beginPath(); c.moveTo(x, y0); c.lineTo(x, y1 - 7 * way); c.stroke();
    c.beginPath(); c.moveTo(x, y1); c.lineTo(x - 6, y1 - 10 * way); c.lineTo(x + 6, y1 - 10 * way); c.fill();
    c.beginPath(); c.arc(x, y0, 4, 0, 7); c.fill(); c.lineWidth = 1.6;
  }
  arrow(x0, y0, x1, y1, name, dash) {
    if (y0 === undefined || y1 === undefined) return;
    const { c } = this;
    c.strokeStyle = c.fillStyle = color(name === 'fence' ? 'accent' : name); c.setLineDash(dash);
    const bow = Math.min(40, Math.abs(x1 - x0) / 2 + 8);
    c.beginPath(); c.moveTo(x0, y0); c.bezierCurveTo(x0 + bow, y0, x1 - bow, y1, x1, y1); c.stroke(); c.setLineDash([]);
    c.beginPath(); c.moveTo(x1 + 1, y1); c.lineTo(x1 - 7, y1 - 4); c.lineTo(x1 - 7, y1 + 4); c.fill();
  }

  // Both sides of hazards at the moments at which they met, with a link. Of several that would lie on each other, one is drawn.
  paintHazards() {
    const { c } = this;
    const drawn = new Set();
    for (const [a, t, b, u, i] of this.run.pairs) {
      if (Math.max(t, u) < this.scale.t0 || Math.min(t, u) > this.scale.t1 || (drawn.size > 30 && state.finding !== String(i))) continue;
      if (this.isLater(Math.max(t, u))) continue;
      const own = state.finding === String(i);
      let [xa, ya, xb, yb] = [this.x(t), this.yOf(a), this.x(u), this.yOf(b)];
      if (ya === undefined || yb === undefined) continue;
      // Two flags at one place stand next to each other.
      if (ya === yb && Math.abs(xa - xb) < FLAG) { const side = u < t ? -1 : 1; xa -= (side * FLAG) / 2; xb += (side * FLAG) / 2; }
      const key = `${Math.round(xa / 12)} ${ya} ${Math.round(xb / 12)} ${yb}`;
      if (drawn.has(key) && !own) continue;
      drawn.add(key);
      c.strokeStyle = c.fillStyle = color('hazard'); c.lineWidth = own ? 3.5 : 2; c.setLineDash(drawn.size > 8 ? [] : [2, 3]);
      this.link(xa, ya - 9, xb, yb - 11);
      this.flag(xa, ya, '1'); this.flag(xb, yb, '2');
    }
  }
  // Reads that go wrong without a barrier: a ring with a cross at the moment, at the lower edge of the bar.
  paintMisreads() {
    const { c } = this;
    for (const [row, t] of this.run.misreads) {
      const place = home[row];
      if (!place || t < this.scale.t0 || t > this.scale.t1) continue;
      const [x, y, r] = [this.x(t), place.y + place.h - 2, 8];
      c.fillStyle = color('back'); c.strokeStyle = color('hazard'); c.lineWidth = 2.5; c.setLineDash([]);
      c.beginPath(); c.arc(x, y, r, 0, 7); c.fill(); c.stroke();
      for (const way of [-1, 1]) { c.beginPath(); c.moveTo(x - 4, y - 4 * way); c.lineTo(x + 4, y + 4 * way); c.stroke(); }
    }
  }
  // A bow with a head: it goes back where the second use began before the first was over.
  link(x0, y0, x1, y1) {
    // It stays below the ruler.
    const { c } = this, [mx, my] = [(x0 + x1) / 2, Math.max(Math.min(y0, y1) - 22, this.host.scrollTop + 26)];
    c.beginPath(); c.moveTo(x0, y0); c.quadraticCurveTo(mx, my, x1, y1); c.stroke(); c.setLineDash([]);
    const turn = Math.atan2(y1 - my, x1 - mx), side = (by) => [x1 - 8 * Math.cos(turn + by), y1 - 8 * Math.sin(turn + by)];
    c.beginPath(); c.moveTo(x1, y1); c.lineTo(...side(0.45)); c.lineTo(...side(-0.45)); c.fill();
  }
  // Its tip is at the moment; its foot stays in view, next to the names of queues and to the right edge.
  flag(x, y, number) {
    const { c } = this, inside = (by) => Math.max(0, Math.min(9, by));
    const foot = x + inside(GUTTER + 10 - x) - inside(x + 10 - this.x(this.scale.t1));
    c.fillStyle = color('back'); c.strokeStyle = color('hazard'); c.lineWidth = 2;
    c.beginPath(); c.moveTo(x, y - 10); c.lineTo(foot + 9, y + 6); c.lineTo(foot - 9, y + 6); c.closePath(); c.fill(); c.stroke();
    c.fillStyle = color('hazard'); c.textAlign = 'center'; c.font = '700 10px system-ui, sans-serif';
    c.fillText(number, foot + (x - foot) / 3, y + 1); c.textAlign = 'left'; c.font = this.font;
  }

  paintExposed(top, h) {
    const { c, scale } = this;
    let x0 = 0, x1 = -1;
    c.globalAlpha = 0.35; c.fillStyle = fill(c, 'exposed');
    visibleItems(this.run.exposed, (e) => e[0], (e) => e[1], this.part || scale, (e) => {
      const [a, b] = [this.x(e[0]), Math.max(this.x(e[1]), this.x(e[0]) + 1)];
      if (x1 >= 0 && a <= x1 + 0.5) { x1 = Math.max(x1, b); return; }
      if (x1 > x0) c.fillRect(x0, top + 22, x1 - x0, h);
      x0 = a; x1 = b;
    });
    if (x1 > x0) c.fillRect(x0, top + 22, x1 - x0, h);
    c.globalAlpha = 1;
  }

  // Whether the run is told up to the cursor, and what comes after it is not known yet.
  isTold() { return Boolean(this.options.told) && this.cursor !== null; }
  isLater(t) { return this.isTold() && t > this.cursor; }
  // Nothing of what comes is shown.
  veil(w, h) {
    if (!this.isTold()) return;
    const { c } = this, x = Math.max(GUTTER, this.x(this.cursor));
    c.fillStyle = color('back'); c.fillRect(x, 22, Math.max(0, w - x), h);
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
}
