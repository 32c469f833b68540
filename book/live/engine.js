// Asks the module. Of questions that come faster than answers only the last of each kind is asked.

import { XzReadableStream } from 'xz-decompress';
import source from './worker.js?text';

// A text that takes longer is given up: somebody waits for it.
const PATIENCE_MS = 20_000;
// An answer that takes longer is dropped when something newer is asked.
const STALE_MS = 3_000;

let bytes = null;
let engine = null;

// Base64 of xz, as a script brings it: a page from a disk may load scripts and nothing else.
async function unpacked(packed) {
  const text = atob(packed);
  const data = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return new Response(new XzReadableStream(new Blob([data]).stream())).arrayBuffer();
}

export async function start(packed) {
  bytes ??= await unpacked(packed);
  engine ??= new Engine();
  return engine;
}

class Engine {
  constructor() {
    this.number = 0;
    this.asked = null;
    this.waiting = new Map();
    this.begin();
  }

  begin() {
    this.address ??= URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.worker = new Worker(this.address);
    this.worker.onmessage = ({ data }) => this.told(data);
    this.worker.onerror = (error) => this.told({ number: this.asked?.number, answer: { unusable: `the module cannot be started: ${error.message}` }, took: 0 });
    this.worker.postMessage({ bytes });
  }

  // Promises the answer, or nothing if a later question of that kind has taken its place.
  ask(kind, question) {
    return new Promise((done) => {
      this.waiting.get(kind)?.done(null);
      this.waiting.set(kind, { kind, question, done });
      // Nobody waits for what was asked about an older text.
      if (this.asked && this.asked.kind !== 'card' && performance.now() - this.asked.since > STALE_MS) this.drop(null);
      this.next();
    });
  }

  next() {
    if (this.asked || !this.waiting.size) return;
    const [[kind, one]] = this.waiting;
    this.waiting.delete(kind);
    this.number += 1;
    this.asked = { ...one, number: this.number, since: performance.now() };
    this.asked.late = setTimeout(() => this.giveUp(), PATIENCE_MS);
    this.worker.postMessage({ number: this.number, question: JSON.stringify(one.question) });
  }

  told({ number, answer, took }) {
    if (!this.asked || this.asked.number !== number) return;
    clearTimeout(this.asked.late);
    const { done } = this.asked;
    this.asked = null;
    done({ ...answer, took });
    this.next();
  }

  giveUp() { this.drop({ unusable: `this text takes longer than ${PATIENCE_MS / 1000} s; it was given up`, took: PATIENCE_MS }); }

  // Ends what is being answered, and begins with a new module.
  drop(answer) {
    this.worker.terminate();
    this.begin();
    clearTimeout(this.asked.late);
    const { done } = this.asked;
    this.asked = null;
    done(answer);
    this.next();
  }
}
