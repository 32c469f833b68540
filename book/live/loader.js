// In every page of the book: colours for the project's languages, and a button that makes a text live where the book has the module.

(() => {
  'use strict';
  const LANGUAGES = ['scn', 'litmus', 'lower'];
  // How they look, also in the editor. One rough grammar shows all three: what a word means is the program's business. D3D12's names are in
  // capitals, which nothing else is.
  const GRAMMAR = {
    expectation: /\/\/(?:~|!|\s*expect\b).*/,
    comment: /\/\/.*/,
    string: /"(?:\\.|[^"\\\n])*"/,
    number: /\b0x[0-9a-fA-F]+\b|\b\d+(?:\.\d+)?(?:x\d+)*(?:[a-zA-Z]+|%)?/,
    constant: /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{3,}[A-Z0-9]*\b/,
    keyword: /(?<=^[ \t]*|[{;][ \t]*)[a-z][\w-]*/m,
    operator: /->|[|@:=+*!<>]/,
    punctuation: /[{}()[\],;]/,
  };
  // Their colours are those that the book has.
  const CLASSES = { expectation: 'hljs-comment', comment: 'hljs-comment', string: 'hljs-string', number: 'hljs-number', constant: 'hljs-literal', keyword: 'hljs-keyword' };
  const base = typeof path_to_root === 'string' ? path_to_root : '';
  const codes = [...document.querySelectorAll('pre > code')].map((code) => ({ code, ...wordsOf(code) })).filter(({ language }) => LANGUAGES.includes(language));
  // What is folded away is an answer, and is only read.
  const live = codes.filter(({ isFolded }) => !isFolded);

  // The words after the three signs of a block: its language, `file=NAME`, `lesson=NAME`, `profile=NAME`, `lowering=NAME`, `folded`.
  function wordsOf(code) {
    const words = [...code.classList];
    const value = (key) => (words.find((word) => word.startsWith(`${key}=`)) || '').slice(key.length + 1);
    const language = (words.find((word) => word.startsWith('language-')) || '').slice('language-'.length);
    return { language, file: value('file'), lesson: value('lesson'), profile: value('profile'), lowering: value('lowering'), isFolded: words.includes('folded') };
  }

  function colour(code) {
    const text = code.textContent;
    const all = new RegExp(Object.entries(GRAMMAR).map(([name, pattern]) => `(?<${name}>${pattern.source})`).join('|'), 'gm');
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(all)) {
      const name = Object.keys(match.groups).find((it) => match.groups[it] !== undefined);
      if (!CLASSES[name]) continue;
      parts.push(text.slice(at, match.index));
      const span = document.createElement('span');
      span.className = CLASSES[name];
      span.textContent = match[0];
      parts.push(span);
      at = match.index + match[0].length;
    }
    code.replaceChildren(...parts, text.slice(at));
  }

  const loads = new Map();
  function load(name) {
    if (!loads.has(name)) {
      loads.set(name, new Promise((done, failed) => {
        const script = document.createElement('script');
        script.src = `${base}live/${name}`;
        script.onload = done;
        script.onerror = () => failed(new Error(`live/${name} cannot be loaded`));
        document.head.append(script);
      }));
    }
    return loads.get(name);
  }

  // Other texts of the page, by their names: a scene may name them.
  function filesOf() {
    const all = [...document.querySelectorAll('pre > code')].map((code) => [wordsOf(code).file, code.textContent]);
    return Object.fromEntries(all.filter(([file]) => file));
  }

  async function open(one, bar, carried) {
    const { code, language, file, lesson, profile, lowering } = one;
    const pre = code.parentElement;
    const host = document.createElement('div');
    const button = bar.querySelector('button');
    button.disabled = true;
    button.textContent = 'Loading…';
    try {
      await Promise.all([load('module.js'), load('live.js')]);
      pre.hidden = true; bar.hidden = true;
      pre.after(host);
      const left = () => { host.remove(); pre.hidden = false; bar.hidden = false; button.disabled = false; button.textContent = words(one); button.focus(); };
      const panel = await window.syncscopeLive.open(host, { name: file || `text.${language}`, text: code.textContent, files: filesOf(), lesson, profile, lowering, left }, window.syncscopeLive.module, carried);
      if (lesson || carried) panel.toggle(true);
      panel.editor.focus();
    } catch (error) {
      host.remove();
      pre.hidden = false; bar.hidden = false;
      button.textContent = `It cannot be live here: ${error.message}`;
    }
  }

  function words({ lesson }) { return lesson ? 'Start the lesson' : 'Try it live'; }

  function offer() {
    const carried = location.hash.startsWith('#live=') ? location.hash.slice('#live='.length) : '';
    live.forEach((one, i) => {
      const bar = document.createElement('p');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'live-button';
      button.textContent = words(one);
      button.addEventListener('click', () => open(one, bar));
      bar.append(button);
      one.code.parentElement.after(bar);
      if (carried && i === 0) open(one, bar, carried);
    });
  }

  // Passed lessons are marked in whatever lists them.
  function marks() {
    let passed = [];
    try { passed = JSON.parse(localStorage.getItem('syncscope-passed') || '[]'); } catch { return; }
    for (const lesson of passed) {
      for (const link of document.querySelectorAll(`a[href$="lessons/${CSS.escape(lesson.replace(/\.\w+$/, ''))}.html"]`)) link.append(' ✓');
    }
  }

  for (const { code } of codes) colour(code);
  marks();
  window.syncscopeLive = { languages: LANGUAGES, grammar: GRAMMAR };
  if (live.length) load('there.js').then(offer, () => { /* this copy of the book has no module */ });
})();
