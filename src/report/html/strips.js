// While a timeline moves, what was drawn is shifted: a drawing that is wider than the window, in strips.

// Strips that a moving timeline is drawn in, and how far what is drawn may reach beyond its place.
const STRIP = 240, NEAR = 64;

class Strips extends Painter {
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
}
