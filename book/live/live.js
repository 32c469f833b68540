// A live panel: a text that is judged while it is written, next to what its run looks like.

import page from 'report:script';
import pageStyle from 'report:style';
import lessons from 'book:lessons';
import style from './style.css?text';
import layout from 'prism-code-editor/layout.css?text';
import popup from 'prism-code-editor/autocomplete.css?text';
import { Editor } from './editor.js';
import { start } from './engine.js';

// Whoever waits longer is told so: what is shown is of the text before.
const BUSY_MS = 500;
// Typing rests for so many milliseconds before the text is judged.
const REST_MS = 60;

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== false && child !== undefined));
  return node;
}

// A document may have several panels; each is a shadow tree of its own.
class Panel {
  // `name`: of the text's file; `files`: those that it names; `lesson`: the lesson's file, if it is one; `left`: called when it is closed.
  constructor(host, { engine, lists, name, start, text = start, files, lesson, card, left, profile = '', lowering = '' }) {
    Object.assign(this, { engine, name, files, lesson, card, left, start });
    this.tree = host.attachShadow({ mode: 'open' });
    this.host = host;
    this.isFirst = Boolean(lesson);
    // Keys that are meant for a text or a timeline turn no page of the book.
    host.addEventListener('keydown', (e) => this.key(e));
    const menu = (label, all, value) => el('select', { 'aria-label': label, title: label, onchange: () => this.judge() },
      el('option', { value: '' }, `${label}: as the text says`), all.map((it) => el('option', { value: it.name, title: it.summary, selected: it.name === value }, it.name)));
    this.profile = menu('Profile', lists.profiles, profile);
    this.lowering = menu('Lowering', lists.lowerings, lowering);
    const button = (words, title, act, more = {}) => el('button', { type: 'button', title, onclick: act, ...more }, words);
    this.wide = button('Full window', 'As large as the window, or in the page', () => this.toggle(), { 'aria-pressed': 'false' });
    this.status = el('button', { type: 'button', class: 'status', 'aria-live': 'polite', title: 'Go to the next finding', onclick: () => this.editor.next() });
    this.note = el('span', { class: 'note', role: 'status' });
    this.said = el('pre', { class: 'said', tabindex: '0', 'aria-label': 'What a terminal prints' });
    this.cover = el('div', { class: 'cover' });
    this.drawn = el('div', { class: 'drawn' });
    this.right = el('section', { class: 'right', 'aria-label': 'The run' }, this.drawn, this.said, this.cover);
    this.writing = el('div', { class: 'writing' });
    this.about = el('section', { class: 'about', 'aria-label': 'The lesson', tabindex: '0' });
    const head = el('header', {}, el('b', {}, card ? card.title : name), this.profile, this.lowering, this.note, el('span', { class: 'grow' }),
      button('Link', 'Put a link to this text into the address and the clipboard', () => this.share()),
      button('Start again', 'The text as it was', () => { this.editor.text = this.start; this.editor.focus(); }), this.wide, button('Close', 'Back to the page', () => this.close()));
    this.frame = el('div', { class: `live${lesson ? ' lesson' : ''}` }, head, el('div', { class: 'left' }, this.writing, this.status, lesson ? this.about : ''), this.right);
    this.tree.append(el('style', {}, layout, popup, style), this.frame);
    const shade = this.drawn.attachShadow({ mode: 'open' });
    this.root = el('div');
    shade.append(el('style', {}, pageStyle), this.root);
    this.editor = new Editor(this.writing, {
      text, language: name.split('.').pop(), changed: () => this.typed(),
      asks: async (text, at) => (await engine.ask('words', { ask: 'words', name, text, at }))?.words,
      says: async (text, at) => (await engine.ask('hover', { ask: 'hover', name, text, at, profile: this.profile.value }))?.says,
    });
    if (card) this.tellLesson();
    this.theme();
    this.themes = new MutationObserver(() => this.theme());
    this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'data-theme'] });
    this.judge();
  }

  theme() {
    const dark = ['coal', 'navy', 'ayu'].some((name) => document.documentElement.classList.contains(name));
    this.frame.dataset.theme = dark ? 'dark' : 'light';
    if (this.shown) this.shown.set({ theme: this.frame.dataset.theme });
  }

  key(e) {
    if (e.key === 'Escape' && this.wide.getAttribute('aria-pressed') === 'true' && !e.defaultPrevented && e.composedPath()[0].tagName !== 'TEXTAREA') this.toggle(false);
    e.stopPropagation();
  }

  toggle(on = this.wide.getAttribute('aria-pressed') !== 'true') {
    this.wide.setAttribute('aria-pressed', String(on));
    this.frame.classList.toggle('full', on);
    document.documentElement.style.overflow = on ? 'hidden' : '';
  }

  typed() {
    this.isFirst = false;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.judge(), REST_MS);
  }

  // Findings come first: what is drawn takes longer.
  async judge() {
    const { text } = this.editor;
    const question = { name: this.name, text, files: this.files, profile: this.profile.value, lowering: this.lowering.value };
    clearTimeout(this.slow);
    this.slow = setTimeout(() => { this.frame.classList.add('busy'); this.status.textContent = 'working …'; }, BUSY_MS);
    const found = await this.engine.ask('marks', { ...question, ask: 'marks', fixes: !this.lesson });
    if (!found || !this.frame.isConnected) return;
    this.took = found.took;
    if (!this.isFirst && text === this.editor.text && found.marks) this.tellMarks(found);
    const worth = await this.engine.ask('judge', { ...question, ask: this.lesson ? 'lesson' : 'run' });
    if (!worth || !this.frame.isConnected) return;
    clearTimeout(this.slow);
    this.frame.classList.remove('busy');
    // A lesson that nobody has changed is not judged yet: what is wrong with it would answer the question.
    this.cover.hidden = !(this.isFirst && this.lesson);
    this.worth = worth;
    this.tell(worth, text);
  }

  tell(worth, text) {
    if (!this.cover.hidden) {
      this.cover.replaceChildren(el('p', {}, 'Predict first, or change the text: what happens is shown here then.'),
        el('button', { type: 'button', onclick: () => { this.isFirst = false; this.cover.hidden = true; this.tell(this.worth, text); } }, 'Show it now'));
      this.status.textContent = 'not judged yet';
      return;
    }
    if (text === this.editor.text) this.tellMarks(worth);
    this.said.hidden = Boolean(worth.page);
    this.drawn.hidden = !worth.page;
    this.said.textContent = worth.says || worth.unusable || '';
    if (worth.page && this.shown) this.shown.update(worth.page);
    else if (worth.page) this.shown = page(this.root, worth.page, { theme: this.frame.dataset.theme });
    if (worth.checks) this.tellChecks(worth);
  }

  tellMarks(worth) {
    const marks = worth.marks || [];
    this.editor.show(marks);
    const worst = ['error', 'hazard', 'warning', 'advice'].find((severity) => marks.some((mark) => mark.severity === severity));
    const open = (worth.checks || []).filter((row) => !row.passed).length;
    const checks = open ? ` · ${open} of ${worth.checks.length} checks open` : '';
    this.status.textContent = worth.unusable ? `✖ ${worth.unusable}` : `${counted(marks)}${checks} · ${Math.max(1, Math.round(this.took))} ms`;
    this.status.className = `status ${worth.unusable ? 'error' : (worst ?? (open ? 'advice' : 'fine'))}`;
  }

  tellLesson() {
    const { card } = this;
    this.checks = el('ul', { class: 'checks', 'aria-label': 'Checks' }, card.checks.map((check) => el('li', {}, `○ ${check}`)));
    this.passed = el('p', { class: 'passed', role: 'status' });
    this.about.append(this.passed, el('p', {}, el('b', {}, 'Goal: '), prose(card.goal)), this.checks, card.question ? this.predict(card.question) : '', this.hints(card.hints),
      el('details', {}, el('summary', {}, 'What it is about'), card.text.map((it) => el('p', {}, prose(it)))));
  }

  predict({ ask, choices, right, because }) {
    const says = el('p', { role: 'status' });
    const buttons = choices.map((choice, i) => el('button', { type: 'button', onclick: () => {
      // What is answered takes little room.
      buttons.forEach((other, k) => { other.disabled = true; other.hidden = k !== right && k !== i; if (k === right) other.classList.add('right'); });
      if (i !== right) buttons[i].prepend('✗ ');
      says.replaceChildren(i === right ? 'Right. ' : 'No: it is the other one. ', ...prose(because));
      this.answered = says;
      this.isFirst = false;
      this.judge();
    } }, prose(choice)));
    return el('div', { class: 'predict', role: 'group', 'aria-label': 'Predict' }, el('p', {}, el('b', {}, 'Predict: '), prose(ask)), el('div', { class: 'choices' }, buttons), says);
  }

  hints(hints) {
    let told = 0;
    const list = el('ol', {});
    const more = el('button', { type: 'button', onclick: () => {
      list.append(el('li', {}, prose(hints[told])));
      told += 1;
      more.textContent = told < hints.length ? `Hint ${told + 1} of ${hints.length}` : 'No more hints';
      more.disabled = told === hints.length;
    } }, `Hint 1 of ${hints.length}`);
    return el('div', { class: 'hints' }, list, hints.length ? more : '');
  }

  tellChecks({ checks, passed }) {
    this.checks.replaceChildren(...checks.map((row) => el('li', { class: row.passed ? 'fine' : 'open' }, `${row.passed ? '✓' : '○'} ${row.check}`,
      row.passed ? '' : el('ul', {}, row.found.slice(0, 4).map((it) => el('li', {}, it)), row.found.length > 4 ? el('li', {}, `and ${row.found.length - 4} more`) : ''))));
    // The checks have grown above the answer.
    this.answered?.scrollIntoView({ block: 'nearest' });
    this.answered = null;
    if (passed && !this.done) {
      this.done = true;
      const all = Object.keys(lessons).filter((it) => it.replace(/(\.\w+)$/, '.solution$1') in lessons).sort();
      const next = all[all.indexOf(this.lesson) + 1];
      this.passed.replaceChildren('✓ Passed. ', next ? el('a', { href: `${next.replace(/\.\w+$/, '')}.html` }, 'Next lesson') : 'That was the last one.');
      this.frame.classList.add('celebrate');
      this.about.scrollTop = 0;
      remember(this.lesson);
    } else if (!passed && this.done) {
      this.done = false;
      this.passed.textContent = '';
      this.frame.classList.remove('celebrate');
    }
  }

  async share() {
    const carried = await packed({ name: this.name, text: this.editor.text, profile: this.profile.value, lowering: this.lowering.value });
    history.replaceState(null, '', `#live=${carried}`);
    let copied = '';
    try { await navigator.clipboard.writeText(location.href); copied = ' and in the clipboard'; } catch { /* the address has it */ }
    this.note.textContent = `the link is in the address${copied}`;
  }

  close() {
    this.toggle(false);
    this.themes.disconnect();
    clearTimeout(this.rest);
    if (this.shown) this.shown.leave();
    this.editor.remove();
    if (location.hash.startsWith('#live=')) history.replaceState(null, '', location.pathname + location.search);
    this.left(this.editor.text);
  }
}

// Text with code in backquotes.
function prose(text) { return text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part)); }

function counted(marks) {
  const signs = { error: '✖', hazard: '⚠', warning: '▲', advice: 'ℹ' };
  const all = Object.keys(signs).map((severity) => [severity, marks.filter((mark) => mark.severity === severity).length]).filter(([, count]) => count);
  return all.length ? all.map(([severity, count]) => `${signs[severity]} ${count} ${severity}${count > 1 && severity !== 'advice' ? 's' : ''}`).join(', ') : '✓ no findings';
}

// Which lessons are passed: this browser knows it, where it may.
function remember(lesson) {
  try {
    const passed = new Set(JSON.parse(localStorage.getItem('syncscope-passed') || '[]'));
    localStorage.setItem('syncscope-passed', JSON.stringify([...passed.add(lesson)].sort()));
  } catch { /* nothing is kept */ }
}

// A text in an address: deflated, in the letters that an address has.
async function packed(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function unpacked(text) {
  const data = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text());
}

// Opens a panel in an element. `carried`: what an address says after `#live=`.
async function open(host, wanted, module, carried) {
  const engine = await start(module);
  const lists = await engine.ask('lists', { ask: 'lists' });
  if (!lists || lists.unusable) throw new Error(lists ? lists.unusable : 'the module does not answer');
  const files = { ...wanted.files };
  let card = null;
  if (wanted.lesson) {
    Object.assign(files, lessons);
    card = await engine.ask('card', { ask: 'card', name: wanted.lesson, files });
    if (card.unusable) throw new Error(card.unusable);
  }
  const { text, profile, lowering } = carried ? await unpacked(carried) : wanted;
  const { name, lesson, left } = wanted;
  return new Panel(host, { engine, lists, name: lesson || name, start: card ? card.start : wanted.text, text: card && !carried ? card.start : text, files, lesson, card, left, profile, lowering });
}

window.syncscopeLive.open = open;
