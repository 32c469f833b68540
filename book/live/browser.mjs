// Opens the built book in a real browser, from files, and does what a reader does: node browser.mjs CHROMIUM BOOK [PICTURES]
// On the page of a rule it makes the scene live, sees the hazard, types the fix and sees the hazard go; it passes every lesson by typing its
// solution; it opens a text that a link carries. Pictures of what it saw go to PICTURES.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [chromium, book, pictures] = process.argv.slice(2);
const lessons = join(dirname(fileURLToPath(import.meta.url)), '..', 'lessons');
// Longer than any answer takes on a slow machine.
const PATIENCE_MS = 60_000;
const profile = mkdtempSync(join(tmpdir(), 'browser-'));
const child = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

// The browser's protocol: JSON with a zero after each message.
let number = 0, rest = '';
const open = new Map();
const complaints = [];
child.stdio[4].on('data', (data) => {
  const parts = (rest + data).split('\0');
  rest = parts.pop();
  for (const part of parts) {
    const message = JSON.parse(part);
    if (message.id) { open.get(message.id)?.(message); open.delete(message.id); }
    if (message.method === 'Runtime.exceptionThrown') complaints.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
  }
});
function send(method, params = {}, sessionId = undefined) {
  number += 1;
  const id = number;
  return new Promise((done, failed) => {
    open.set(id, (message) => (message.error ? failed(new Error(`${method}: ${message.error.message}`)) : done(message.result)));
    child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  });
}

let session = '';
async function run(code) {
  const { result, exceptionDetails } = await send('Runtime.evaluate', { expression: `(() => { ${HELP} return ${code}; })()`, returnByValue: true, awaitPromise: true }, session);
  if (exceptionDetails) throw new Error(`${code}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
  return result.value;
}
// Words for what is in the shadow trees.
const HELP = `
  const panel = () => [...document.querySelectorAll('main div')].map((it) => it.shadowRoot).find((it) => it && it.querySelector('.live'));
  const one = (q) => panel() && panel().querySelector(q);
  const drawn = () => one('.drawn').shadowRoot;
  const text = (q) => (one(q) || { textContent: '' }).textContent;
`;
async function until(code, what) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await run(code).catch(() => false);
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: it never was so; status: ${await run("text('.status')").catch((e) => e.message)}; ${complaints.join('; ')}`);
    await new Promise((done) => { setTimeout(done, 25); });
  }
}
async function go(page, hash = '') {
  await send('Page.navigate', { url: 'about:blank' }, session);
  await send('Page.navigate', { url: pathToFileURL(resolve(book, page)).href + hash }, session);
  await until("document.readyState === 'complete'", page);
}
async function size(width, height) { await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false }, session); }
async function picture(name) {
  if (!pictures) return;
  await new Promise((done) => { setTimeout(done, 300); });
  const { data } = await send('Page.captureScreenshot', { format: 'png' }, session);
  writeFileSync(join(pictures, `${name}.png`), Buffer.from(data, 'base64'));
}
// Types a text in the place of what is selected.
async function type(text) { await send('Input.insertText', { text }, session); }
async function select(from, to) { await run(`(one('textarea').focus(), one('textarea').setSelectionRange(${from}, ${to}))`); }
async function press(selector) { await until(`(one(${JSON.stringify(selector)}) && (one(${JSON.stringify(selector)}).click(), true))`, selector); }
function check(is, what) { if (!is) throw new Error(what); }

async function rulePage() {
  await go('rules/HZ101.html');
  await until("document.querySelector('.live-button')", 'the button of a scene');
  await run("document.querySelector('.live-button').click()");
  await until("/hazard/.test(text('.status'))", 'the hazard of the scene');
  // Findings come before what is drawn.
  await until("drawn().querySelector('#timeline canvas').width > 100", 'a timeline is drawn');
  await until("/HZ101/.test(drawn().textContent)", 'the run tells the hazard');
  check(await run("one('.marks .hazard') !== null"), 'the hazard is marked in the text');
  await picture('rule-in-page');
  // The graph, the memory and the steps are the report's.
  for (const view of ['graph', 'memory', 'steps']) {
    await run(`drawn().getElementById('tab-${view}').click()`);
    await until(`drawn().getElementById('tab-${view}').getAttribute('aria-selected') === 'true'`, view);
  }
  await press('[title^="As large"]');
  await picture('rule-steps');
  await run("drawn().getElementById('tab-timeline').click()");
  // The fix is typed where it belongs: after the dispatch that writes.
  const before = await run("one('textarea').value");
  const at = before.indexOf('writes }') + 'writes }'.length;
  check(at >= 'writes }'.length, 'the scene has a dispatch that writes');
  await select(at, at);
  await type('; barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }');
  await until("!/hazard/.test(text('.status')) && !/not judged/.test(text('.status'))", 'the hazard is gone');
  check(await run("one('.marks .hazard') === null"), 'the mark is gone');
  await send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'z', code: 'KeyZ', windowsVirtualKeyCode: 90, modifiers: 2 }, session);
  await until("/hazard/.test(text('.status'))", 'undone');
  // Arrow keys in the text turn no page of the book.
  await send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 }, session);
  check(await run("/HZ101/.test(location.pathname)"), 'the page stays');
  // Words that may come next.
  await select(0, 0);
  await type('tex');
  await until("/texture/.test((panel().querySelector('.pce-ac-tooltip') || {}).textContent || '')", 'words are offered');
  await picture('words');
  // Another machine.
  await run("(one('select[aria-label=Profile]').value = 'tiler', one('select[aria-label=Profile]').dispatchEvent(new Event('change')))");
  await run("one('textarea').focus()");
  await select(0, 3);
  await type(' ');
  await until("/tiler/.test(drawn().textContent)", 'the profile of the menu');
  // A link carries the text.
  await press('[title^="Put a link"]');
  const hash = await until("location.hash.startsWith('#live=') && location.hash", 'a link');
  await go('rules/HZ101.html', hash);
  await until("/hazard/.test(text('.status')) && one('select[aria-label=Profile]').value === 'tiler'", 'the text of a link');
  check(await run("one('textarea').value.startsWith(' ')"), 'the text is the one that was linked');
}

async function lesson(name, first) {
  const solution = readFileSync(join(lessons, name.replace(/(\.\w+)$/, '.solution$1')), 'utf8');
  await go(`lessons/${name.replace(/\.\w+$/, '')}.html`);
  await until("document.querySelector('.live-button')", `${name}: the button`);
  await run("document.querySelector('.live-button').click()");
  await until("one('.cover') && !one('.cover').hidden && /not judged/.test(text('.status'))", `${name}: nothing is told at first`);
  if (first) await picture('lesson-begins');
  if (await run("one('.predict button') !== null")) {
    await press('.predict button');
    await until("one('.cover').hidden", `${name}: after the prediction it is told`);
  } else {
    await press('.cover button');
  }
  await until("one('.checks .open') !== null", `${name}: the start fails`);
  if (first) await picture('lesson-fails');
  await select(0, 1_000_000);
  await type(solution);
  await until("/Passed/.test(text('.passed'))", `${name}: the solution passes`);
  check(await run("one('.checks .open') === null"), `${name}: every check is green`);
  check(!(await run("/\\[object/.test(text('.about'))")), `${name}: the lesson is told in words`);
  const took = Number(/(\d+) ms/.exec(await run("text('.status')"))?.[1]);
  if (first) await picture('lesson-passed');
  return took;
}

try {
  if (pictures) mkdirSync(pictures, { recursive: true });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  ({ sessionId: session } = await send('Target.attachToTarget', { targetId, flatten: true }));
  await send('Page.enable', {}, session);
  await send('Runtime.enable', {}, session);
  await send('Emulation.setFocusEmulationEnabled', { enabled: true }, session);
  check(existsSync(join(book, 'live', 'module.js')), 'the book was built with the module');
  await size(1280, 720);
  await rulePage();
  const names = readdirSync(lessons).filter((name) => existsSync(join(lessons, name.replace(/(\.\w+)$/, '.solution$1')))).sort();
  const times = [];
  for (const name of names) times.push([name, await lesson(name, name === names[0])]);
  await size(2560, 1440);
  await lesson(names[4], false);
  await picture('lesson-large');
  check(complaints.length === 0, complaints.join('\n'));
  const slowest = times.reduce((a, b) => (b[1] > a[1] ? b : a));
  console.log(`${names.length} lessons passed in the browser; an attempt is judged in ${times.map(([, ms]) => ms).sort((a, b) => a - b)[times.length >> 1]} ms (median), ${slowest[1]} ms at most (${slowest[0]})`);
} catch (error) {
  await picture('failed').catch(() => {});
  console.log(`${error.message}\n${complaints.join('\n')}`);
  process.exitCode = 1;
} finally {
  child.kill();
  setTimeout(() => { rmSync(profile, { recursive: true, force: true }); process.exit(); }, 500);
}
