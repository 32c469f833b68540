// What tests of the page ask it to do, and to say of itself.

// For tests of the page: `#do=key:ArrowRight;click:%23next;…` does that, and then writes down what there is to see.
function probe(took) {
  const asked = new URLSearchParams(location.hash.slice(1)).get('do');
  if (asked === null) return;
  const wait = () => new Promise((done) => { setTimeout(done, 20); });
  const act = {
    key: (k) => (scope.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', { key: k.replace('shift+', ''), shiftKey: k.startsWith('shift+'), bubbles: true, cancelable: true })),
    click: (q) => root.querySelector(q).click(),
    focus: (q) => root.querySelector(q).focus(),
    pick: (q) => { const [where, value] = q.split('='); const node = root.querySelector(where); node.value = value; node.dispatchEvent(new Event('change', { bubbles: true })); node.dispatchEvent(new Event('input', { bubbles: true })); },
    pan: () => frames(),
    hover: (where) => hovered(where),
    drawn: (which) => drawn(which === 'without' ? copyTimeline : mainTimeline),
    marks: () => marked(),
    same: async () => ({ same: await isSame() }),
    veil: () => veiled(),
    tokens: () => tokensDrawn(),
    move: () => { mainTimeline.zoom(0.5); mainTimeline.paint(); mainTimeline.pan(0.01); mainTimeline.paint(); mainTimeline.fit(); },
  };
  (async () => {
    const log = [];
    await wait();
    for (const step of asked.split(';').filter(Boolean)) {
      const at = step.indexOf(':');
      try { const result = await act[step.slice(0, at)](step.slice(at + 1)); if (result) log.push(result); } catch (e) { errors.push(`${step}: ${e.message}`); }
      await wait();
    }
    const names = [...root.querySelectorAll('button, select, input, [tabindex]')].filter((n) => !n.textContent.trim() && !n.getAttribute('aria-label') && !n.labels?.length).length;
    const wide = document.documentElement.scrollWidth > innerWidth + 1;
    document.body.append(el('pre', { id: 'probe', class: 'hidden' }));
    byId('probe').textContent = JSON.stringify({ ...state, opened_ms: Math.round(took), errors, log, unnamed: names, wide, view_text: byId('view').innerText, details_text: byId('details').innerText, story_text: byId('story').innerText,
      focus: (scope.activeElement || {}).id || '', tree: window.top === window, tabs: VIEWS.map((v) => v[0]) });
  })();
}

// What is drawn where a command of the timeline is at some time (`id,ps`; the first command, where it begins), the colour of a row in
// which nothing is, and what a pointer there is told.
function hovered(where) {
  mainTimeline.paint(); // No frame may come.
  const t = mainTimeline, [id, at] = where.split(',');
  const own = id ? rowOf.get(id) : t.layout().find((r) => r.kind === 'work').items[0];
  t.layout();
  const row = home[own];
  const box = t.host.getBoundingClientRect(), ratio = devicePixelRatio || 1;
  const [x, y] = [t.x(at === undefined ? began(own) : Number(at)) + 2, row.y + 2 - t.host.scrollTop];
  t.host.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  const empty = fitted(document.createElement('canvas'), 1, 1);
  empty.fillStyle = color('panel');
  empty.fillRect(0, 0, 1, 1);
  const pixel = (canvas, px, py) => [...canvas.getContext('2d').getImageData(Math.round(px * ratio), Math.round(py * ratio), 1, 1).data];
  return { told: t.tip.hidden ? '' : t.tip.textContent, drawn: pixel(t.canvas, x, y), empty: pixel(empty.canvas, 0, 0) };
}

// The wrong reads that are marked below, each with whether something of the colour of hazards is drawn there; and how many are above.
function marked() {
  const t = copyTimeline || mainTimeline;
  Object.assign(t.host.style, { flex: 'none', height: '4000px' });
  t.fit(); t.paintedKey = ''; t.paint();
  const swatch = fitted(document.createElement('canvas'), 1, 1), ratio = devicePixelRatio || 1;
  swatch.fillStyle = color('hazard'); swatch.fillRect(0, 0, 1, 1);
  const wanted = String(swatch.getImageData(0, 0, 1, 1).data);
  const isDrawn = (x, y) => { const { data } = t.canvas.getContext('2d').getImageData(Math.round((x - 9) * ratio), Math.round((y - 9) * ratio), Math.round(18 * ratio), Math.round(18 * ratio)); for (let i = 0; i < data.length; i += 4) if (String(data.slice(i, i + 4)) === wanted) return true; return false; };
  const marks = t.run.misreads.map(([row, at]) => ({ id: P.id[row], at, drawn: isDrawn(t.x(at), home[row].y + home[row].h - 2) }));
  return { marks, above: mainTimeline.run.misreads.length };
}

// How much is drawn before the cursor of the steps, and how much after it.
function veiled() {
  const t = stepTimeline, ratio = devicePixelRatio || 1;
  t.paintedKey = ''; t.paint();
  const { width, height } = t.canvas, data = t.canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const empty = fitted(document.createElement('canvas'), 1, 1);
  empty.fillStyle = color('back'); empty.fillRect(0, 0, 1, 1);
  const back = String(empty.getImageData(0, 0, 1, 1).data);
  const cursor = Math.max(GUTTER, t.x(t.cursor)), sums = { before: 0, after: 0 };
  for (let y = Math.ceil(24 * ratio); y < height; y += 1) {
    for (let x = Math.ceil(GUTTER * ratio); x < width; x += 1) {
      const at = x / ratio < cursor - 2 ? 'before' : x / ratio > cursor + 2 ? 'after' : '';
      if (at && String(data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)) !== back) sums[at] += 1;
    }
  }
  return sums;
}

// The tokens in the boxes of the cache view, with their looks.
function tokensDrawn() {
  const panel = byId('caches');
  if (!panel || panel.hidden || !panel.getBoundingClientRect().height) return { tokens: null };
  const of = (box) => [...box.querySelectorAll('[data-token]')].map((t) => [t.dataset.token, ...t.classList].filter((w) => w !== 'token' && !/^r\d$/.test(w)));
  return { tokens: [...panel.querySelectorAll('[data-box]')].map(of), lit: [...panel.querySelectorAll('.lit')].map((p) => [...p.classList].slice(1)) };
}

// How many frames a second there are while a timeline moves.
async function frames() {
  mainTimeline.zoom(0.5);
  const times = [];
  let longest = 0, all = 0;
  for (let i = 0; i < 60; i += 1) {
    const now = await new Promise((done) => { requestAnimationFrame(done); });
    times.push(now);
    mainTimeline.asked = true;
    mainTimeline.pan(i < 30 ? 0.01 : -0.01);
    const began = performance.now();
    mainTimeline.paint();
    const took = performance.now() - began;
    all += took;
    longest = Math.max(longest, took);
  }
  mainTimeline.asked = false;
  return { frames_per_s: Math.round(59000 / (times[59] - times[0])), longest_paint_ms: Math.round(longest * 10) / 10, mean_paint_ms: Math.round(all / 6) / 10 };
}

// How often a test looks at a timeline, and how much further in each time.
const LOOKS = 5, CLOSER = 4;
// Times that a test looks at: all of it, then closer and closer at another place.
function lookAt(t, k) {
  const span = (end() * 1.02 + 1) / CLOSER ** k;
  t.window((((k * 7) % LOOKS) / LOOKS) * Math.max(0, end() - span), span);
  t.paintedKey = '';
  t.paint();
}

// What the rows of a timeline show at their upper edge, where no names are: a letter for each pixel and how many follow each
// other. `.` is an empty row, `w` is work. And the row that each packet is in. A test compares that with the run's JSON.
function drawn(t) {
  const letters = new Map();
  // Arrows and flags lie over bars.
  t.bare = true;
  Object.assign(t.host.style, { flex: 'none', height: '4000px' });
  const swatch = fitted(document.createElement('canvas'), 1, 1);
  for (const [letter, name] of [['.', 'panel'], ['w', 'work']]) {
    swatch.fillStyle = color(name); swatch.fillRect(0, 0, 1, 1);
    letters.set(String(swatch.getImageData(0, 0, 1, 1).data), letter);
  }
  const looks = [];
  for (let k = 0; k < LOOKS; k += 1) {
    lookAt(t, k);
    const places = t.layout().filter((r) => ['work', 'barrier', 'front', 'open'].includes(r.kind));
    const rows = places.map((r) => {
      const runs = [];
      const { data } = t.canvas.getContext('2d').getImageData(0, r.y + 1, t.host.clientWidth, 1);
      for (let x = 0; x < data.length; x += 4) {
        const letter = letters.get(String(data.slice(x, x + 4))) || 'x';
        const last = runs[runs.length - 1];
        if (last && last[0] === letter) last[1] += 1; else runs.push([letter, 1]);
      }
      return runs;
    });
    const packets = t.run.rows.map((row) => [P.id[row], P.kind[row], places.findIndex((r) => r.items.includes(row))]);
    looks.push({ t0: t.t0, t1: t.t1, gutter: GUTTER, width: t.width(), rows, packets });
  }
  return { looks };
}
