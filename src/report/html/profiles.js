// The same scenario on every profile, one below the other, each on its own scale or all on one.

function viewProfiles(view) {
  const O = X.others;
  if (!O) { view.append(el('p', { class: 'pad' }, 'Other profiles are not in this page: see the remarks at the top.')); return {}; }
  const host = el('div', { class: 'scroll pad', tabindex: '0', role: 'region', 'aria-label': 'Profiles side by side', id: 'profiles' });
  const longest = Math.max(1, ...O.profiles.map((p) => p.until_ps));
  const common = { on: false };
  const scale = el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => { common.on = !common.on; scale.setAttribute('aria-pressed', String(common.on)); draw(); } }, 'All on one scale');
  const canvases = [];
  const draw = () => { for (const [canvas, p, lane] of canvases) paintLane(canvas, lane, common.on ? longest : Math.max(1, p.until_ps)); };
  const table = el('table', {}, el('caption', {}, 'What each took'), el('thead', {}, el('tr', {}, ['profile', 'lowering'].map((h) => el('th', { scope: 'col' }, h)), ['takes', 'exposed', 'flushes', 'invalidates', 'layout operations', 'bad reads', 'lowering bugs'].map((h) => el('th', { scope: 'col', class: 'num' }, h)))),
    el('tbody', {}, O.profiles.map((p) => el('tr', { class: p.profile === D.profile ? 'selected' : '' }, el('th', { scope: 'row' }, p.profile, p.profile === D.profile ? ' (this page)' : ''), el('td', {}, p.lowering), [time(p.makespan_ps), time(p.exposed_ps), p.flushes, p.invalidates, p.decompressions].map((v) => el('td', { class: 'num' }, String(v))),
      el('td', { class: `num ${p.bad_reads ? 'hazard' : ''}` }, p.bad_reads ? `⚠ ${p.bad_reads}` : '0'), el('td', { class: `num ${p.bugs.length ? 'error' : ''}`, title: p.bugs.map((b) => visible(b[2])).join('\n') }, p.bugs.length ? `✖ ${p.bugs.length}` : '0')))));
  const groups = O.profiles.map((p) => el('section', { 'aria-label': `Queues on ${p.profile}` }, el('h3', {}, p.profile, el('span', { class: 'note' }, ` ${time(p.makespan_ps)}, ${time(p.exposed_ps)} exposed`)), p.lanes.map((lane) => {
    const canvas = el('canvas', { role: 'img', 'aria-label': visible(`${W[lane.name]} on ${p.profile}: ${count(lane.segments.filter((s) => s[2] === 'w').length, 'command')}`) });
    canvases.push([canvas, p, lane]);
    canvas.addEventListener('pointermove', (e) => tipOf(canvas, e));
    return canvas;
  })));
  const hazards = el('table', {}, el('caption', {}, 'Hazards, and where they show'), el('thead', {}, el('tr', {}, ['rule', 'line', 'resource', ...O.profiles.map((p) => p.profile)].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, O.hazards.map((h) => el('tr', {}, el('th', { scope: 'row' }, `${h.rule} ${h.name}`), el('td', {}, toLine(h.line, String(h.line))), el('td', {}, h.resource), h.on.map(([visibly, why]) => el('td', { class: visibly ? 'hazard' : 'note' }, visibly ? `⚠ ${why}` : `○ ${why}`))))));
  view.append(el('div', { class: 'bar' }, scale, el('span', { class: 'note' }, 'Every profile with its own lowering, unless the scenario or the command line names one.')), host,
    legend([['work', 'work'], ['held', 'waits'], ['drain', 'barrier'], ['fence', 'fence wait'], ['signal', 'submission']]));
  host.append(table, O.hazards.length ? hazards : el('p', { class: 'note' }, 'No hazards.'), O.more_hazards ? el('p', { class: 'note' }, `${O.more_hazards} more hazards were not looked at on the other profiles.`) : '', ...groups);
  new ResizeObserver(draw).observe(host);
  draw();
  return { changed: (keys) => { if (keys.includes('theme')) draw(); }, focus: () => host.focus() };
}

function paintLane(canvas, lane, span) {
  const width = (canvas.parentElement || canvas).clientWidth || 600;
  const rows = packed(lane.segments, (s) => s[0], (s) => s[1], 12);
  const h = big() ? 20 : 14;
  const c = fitted(canvas, width, Math.max(1, rows.length) * (h + 1) + 3);
  c.clearRect(0, 0, width, canvas.height);
  c.font = `${big() ? 14 : 11}px system-ui, sans-serif`; c.textBaseline = 'middle';
  c.fillStyle = color('text'); c.fillText(shorten(c, visible(W[lane.name], 40), 78), 0, h / 2 + 1);
  const left = 84;
  const scale = { t0: 0, t1: span, width: width - left };
  const x = (t) => left + (t / span) * scale.width;
  rows.forEach((items, i) => {
    c.fillStyle = color('panel'); c.fillRect(left, i * (h + 1), width - left, h);
    visibleItems(items, (s) => s[0], (s) => s[1], scale, ([a, b, kind, name, waits], n) => {
      const [x0, x1] = [x(a), Math.max(x(b), x(a) + 1)];
      c.fillStyle = fill(c, { w: 'work', b: 'drain', f: 'fence', s: 'signal' }[kind]); c.fillRect(x0, i * (h + 1), x1 - x0, h);
      c.fillStyle = fill(c, 'held');
      for (const [from, to] of waits) if (x(to) - x(from) > 1) c.fillRect(x(from), i * (h + 1), x(to) - x(from), h);
      if (n === 1 && x1 - x0 > 3) { c.strokeStyle = color('back'); c.strokeRect(x0 + 0.5, i * (h + 1) + 0.5, x1 - x0 - 1, h - 1); }
      const runs = Math.max(x0, ...waits.filter((w) => w[1] < b).map((w) => x(w[1])));
      if (kind === 'w' && x1 - runs > 34) { c.fillStyle = color('work-text'); c.fillText(shorten(c, visible(W[name], 60), x1 - runs - 8), runs + 4, i * (h + 1) + h / 2); }
    });
  });
  canvas.spans = { rows, x, h };
}
function tipOf(canvas, e) {
  const box = canvas.getBoundingClientRect();
  const row = canvas.spans.rows[Math.floor((e.clientY - box.top) / (canvas.spans.h + 1))] || [];
  const at = row.find((s) => canvas.spans.x(s[0]) <= e.clientX - box.left && e.clientX - box.left <= canvas.spans.x(s[1]));
  canvas.title = at ? `${visible(W[at[3]], 80)}: ${time(at[1] - at[0])}` : '';
}
