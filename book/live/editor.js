// An editor for the project's languages: colours, findings where they are, words that may come next.

import { createEditor } from 'prism-code-editor';
import { languages } from 'prism-code-editor/prism';
import { autoComplete, fuzzyFilter, registerCompletions } from 'prism-code-editor/autocomplete';
import { defaultKeymap, editHistory, editorCommands } from 'prism-code-editor/commands';
import { cursorPosition } from 'prism-code-editor/cursor';
import { addOverlay, insertText, setSelection } from 'prism-code-editor/utils';

// The page of the book knows how the languages look, also where it has no module.
const { languages: LANGUAGES, grammar } = window.syncscopeLive;
for (const language of LANGUAGES) languages[language] = grammar;
registerCompletions(LANGUAGES, { context: null, sources: [(context, editor) => editor.live?.words(context)] });

const WORSE = { error: 3, hazard: 2, warning: 1, advice: 0 };
// What is under the pointer is told after so many milliseconds.
const PAUSE_MS = 250;

export class Editor {
  // `changed(text)` is told every change, `asks(text, at)` promises the words for a place.
  constructor(host, { text, language, changed, asks, says }) {
    this.asks = asks;
    this.says = says;
    this.marks = [];
    this.known = null;
    this.editor = createEditor(host, { language, value: text, tabSize: 2, lineNumbers: true, class: 'editor' },
      editorCommands(defaultKeymap, ['""', '{}', '()', '[]']), editHistory(), cursorPosition(), autoComplete({ filter: fuzzyFilter }));
    this.editor.live = this;
    this.editor.textarea.setAttribute('aria-label', 'Text');
    this.editor.textarea.setAttribute('spellcheck', 'false');
    this.overlay = document.createElement('div');
    this.overlay.className = 'marks';
    this.overlay.setAttribute('aria-hidden', 'true');
    addOverlay(this.editor, this.overlay);
    this.tip = document.createElement('div');
    this.tip.className = 'tip';
    this.tip.hidden = true;
    this.tip.setAttribute('role', 'tooltip');
    host.append(this.tip);
    this.editor.on('update', (value) => { this.move(value); changed(value); });
    this.editor.container.addEventListener('pointermove', (e) => this.point(e));
    for (const name of ['pointerleave', 'scroll', 'keydown']) this.editor.container.addEventListener(name, () => this.hush());
    this.before = text;
  }

  get text() { return this.editor.value; }
  set text(value) {
    const { scrollTop } = this.editor.container;
    insertText(this.editor, value, 0, this.text.length, 0);
    this.editor.container.scrollTop = scrollTop;
  }

  focus() { this.editor.textarea.focus(); }
  remove() { clearTimeout(this.pause); this.editor.remove(); this.tip.remove(); }

  // Findings that the text has.
  show(marks) {
    // Of what is many lines long the first is marked.
    const first = ({ from, to }) => { const end = this.text.indexOf('\n', from); return end < 0 ? to : Math.min(to, Math.max(end, from + 1)); };
    this.marks = marks.map((mark) => ({ ...mark, to: first(mark) }));
    this.draw();
  }

  // What is typed moves what is marked after it, until the new findings come.
  move(value) {
    const { before } = this;
    this.before = value;
    const most = Math.min(before.length, value.length);
    let from = 0;
    while (from < most && before[from] === value[from]) from += 1;
    const by = value.length - before.length;
    const moved = (at) => (at <= from ? at : Math.max(from, at + by));
    for (const mark of this.marks) [mark.from, mark.to] = [moved(mark.from), moved(mark.to)];
    this.draw();
  }

  // The text again, to be seen only where something is under it.
  draw() {
    const { text } = this;
    const edges = new Set([0, text.length]);
    for (const { from, to } of this.marks) { edges.add(Math.min(from, text.length)); edges.add(Math.min(to, text.length)); }
    const sorted = [...edges].sort((a, b) => a - b);
    const parts = [];
    for (let i = 0; i + 1 < sorted.length; i += 1) {
      const [from, to] = [sorted[i], sorted[i + 1]];
      const over = this.marks.filter((mark) => mark.from <= from && to <= mark.to);
      const worst = over.reduce((a, b) => (a && WORSE[a.severity] >= WORSE[b.severity] ? a : b), null);
      if (!worst) { parts.push(text.slice(from, to)); continue; }
      const span = document.createElement('span');
      span.className = worst.severity;
      span.textContent = text.slice(from, to);
      parts.push(span);
    }
    this.overlay.replaceChildren(...parts);
    const worst = new Map();
    for (const mark of this.marks) {
      const line = lineOf(text, mark.from);
      if (!worst.has(line) || WORSE[worst.get(line)] < WORSE[mark.severity]) worst.set(line, mark.severity);
    }
    for (let i = 1; i < this.editor.lines.length; i += 1) {
      const severity = worst.get(i);
      if (severity) this.editor.lines[i].dataset.worst = severity; else delete this.editor.lines[i].dataset.worst;
    }
  }

  // Goes to the next finding after the cursor.
  next() {
    if (!this.marks.length) return;
    const [at] = this.editor.getSelection();
    const sorted = [...this.marks].sort((a, b) => a.from - b.from);
    this.go((sorted.find((mark) => mark.from > at) || sorted[0]).from);
  }

  go(at) {
    setSelection(this.editor, at);
    this.focus();
    this.editor.lines[lineOf(this.text, at)]?.scrollIntoView({ block: 'nearest' });
  }

  // The words for the place of the cursor: asked for, and shown once they are known.
  words({ pos, explicit, lineBefore }) {
    const [word] = /[\w-]*$/.exec(lineBefore);
    const from = pos - word.length;
    const key = `${from} ${this.text.slice(0, from)}`;
    if (this.known?.key === key) {
      const options = this.known.words.map(([label, detail]) => ({ label, detail, icon: 'text' }));
      return options.length ? { from, options } : null;
    }
    if (!explicit && !word) return null;
    this.asks(this.text, pos).then((words) => {
      if (!words) return;
      this.known = { key, words };
      if (this.editor.getSelection()[0] === pos && words.length) this.editor.extensions.autoComplete.startQuery(explicit);
    });
    return null;
  }

  point(e) {
    clearTimeout(this.pause);
    if (this.tip.contains(e.target)) return;
    const { clientX, clientY } = e;
    this.pause = setTimeout(() => this.tell(clientX, clientY), PAUSE_MS);
  }

  hush() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => { if (!this.tip.matches(':hover')) this.tip.hidden = true; }, PAUSE_MS);
  }

  // What is marked under the pointer, and what the word there means.
  async tell(x, y) {
    const at = this.placeOf(x, y);
    if (at === null) { this.tip.hidden = true; return; }
    const here = this.marks.filter((mark) => mark.from <= at && at <= Math.max(mark.to, mark.from + 1));
    const about = await this.says(this.text, at);
    if (!here.length && !about) { this.tip.hidden = true; return; }
    const block = (name, ...children) => { const node = document.createElement(name); node.append(...children); return node; };
    const nodes = here.map((mark) => {
      const node = block('div', block('b', `${mark.rule} ${mark.name}`), `: ${mark.message}`);
      node.className = mark.severity;
      if (mark.help) node.append(block('p', `Fix: ${mark.help}`));
      if (mark.fix) {
        const button = block('button', `Apply: ${mark.fix.says}`);
        button.type = 'button';
        button.addEventListener('click', () => { this.tip.hidden = true; this.apply(mark.fix.edits); });
        node.append(button);
      }
      return node;
    });
    if (about) nodes.push(block('div', about));
    this.tip.replaceChildren(...nodes);
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    const below = y + 16 + box.height < innerHeight;
    this.tip.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 8))}px`;
    this.tip.style.top = `${below ? y + 16 : Math.max(4, y - box.height - 12)}px`;
  }

  // The place in the text under a point, or nothing.
  placeOf(x, y) {
    for (let i = 1; i < this.editor.lines.length; i += 1) {
      const line = this.editor.lines[i];
      const box = line.getBoundingClientRect();
      if (y < box.top || y >= box.bottom) continue;
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      let before = 0;
      const range = document.createRange();
      while (walker.nextNode()) {
        const node = walker.currentNode;
        range.selectNodeContents(node);
        const around = range.getBoundingClientRect();
        if (x >= around.left && x <= around.right) {
          const per = around.width / Math.max(1, node.length);
          return startOf(this.text, i) + before + Math.min(node.length - 1, Math.floor((x - around.left) / per));
        }
        before += node.length;
      }
      return null;
    }
    return null;
  }

  apply(edits) {
    let { text } = this;
    for (const { from, to, text: put } of [...edits].reverse()) text = text.slice(0, from) + put + text.slice(to);
    this.text = text;
  }
}

function lineOf(text, at) { return text.slice(0, at).split('\n').length; }
function startOf(text, line) { return text.split('\n').slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0); }
