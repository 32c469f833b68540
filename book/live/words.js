// How the languages of the book look: scenarios (`scn`), litmus tests (`litmus`) and rule files (`lower`). One rough grammar shows all
// three: what a word means is the program's business. D3D12's names are in capitals, which nothing else is.

export const LANGUAGES = ['scn', 'litmus', 'lower'];

export const grammar = {
  expectation: /\/\/(?:~|!|\s*expect\b).*/,
  comment: /\/\/.*/,
  string: /"(?:\\.|[^"\\\n])*"/,
  number: /\b0x[0-9a-fA-F]+\b|\b\d+(?:\.\d+)?(?:x\d+)*(?:[a-zA-Z]+|%)?/,
  constant: /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{3,}[A-Z0-9]*\b/,
  keyword: /(^[ \t]*|[{;][ \t]*)[a-z][\w-]*/m,
  operator: /->|[|@:=+*!<>]/,
  punctuation: /[{}()[\],;]/,
};
grammar.keyword = { pattern: grammar.keyword, lookbehind: true };
