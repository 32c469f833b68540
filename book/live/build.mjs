// Makes what the live pages load: node build.mjs MODULE.wasm REPORT.html FOLDER [quick]
// MODULE.wasm is this crate, REPORT.html any report of the program (its script and style draw the runs), and what is made goes to FOLDER.
// With `quick` the module is taken as it is, and may have any size.
import { readFileSync, readdirSync, writeFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

// What a reader loads at most: the module, and the module compressed.
const MODULE_MAX = 3_300_000, PACKED_MAX = 1_020_000;

// What the compiler uses, and every browser has had for years: no more, or the module is one that some cannot read.
const FEATURES = ['bulk-memory', 'sign-ext', 'nontrapping-float-to-int', 'mutable-globals', 'reference-types', 'multivalue'].map((it) => `--enable-${it}`);

const [module, report, folder, profile] = process.argv.slice(2);
const quick = profile === 'quick';
const here = dirname(fileURLToPath(import.meta.url));
mkdirSync(folder, { recursive: true });

const html = readFileSync(report, 'utf8');
const between = (start, end) => {
  const from = html.indexOf(start) + start.length;
  return html.slice(from, html.indexOf(end, from));
};
const lessons = join(here, '..', 'lessons');
const virtual = {
  'report:script': { contents: `${between('<script>', '</script>')}\nexport default syncscopePage;`, loader: 'js' },
  'report:style': { contents: between('<style>', '</style>'), loader: 'text' },
  'book:lessons': { contents: JSON.stringify(Object.fromEntries(readdirSync(lessons).sort().map((name) => [name, readFileSync(join(lessons, name), 'utf8')]))), loader: 'json' },
};
await esbuild.build({
  entryPoints: [join(here, 'live.js')],
  outfile: join(folder, 'live.js'),
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'iife',
  target: 'es2022',
  legalComments: 'inline',
  plugins: [{
    name: 'own',
    setup(build) {
      build.onResolve({ filter: /^(report|book):/ }, ({ path }) => ({ path, namespace: 'own' }));
      build.onLoad({ filter: /.*/, namespace: 'own' }, ({ path }) => virtual[path]);
      build.onResolve({ filter: /\?text$/ }, async ({ path, resolveDir }) => {
        const { path: found } = await build.resolve(path.slice(0, -'?text'.length), { resolveDir, kind: 'import-statement' });
        return { path: found, namespace: 'text' };
      });
      build.onLoad({ filter: /.*/, namespace: 'text' }, ({ path }) => ({ contents: readFileSync(path, 'utf8'), loader: 'text' }));
    },
  }],
});

function smaller() {
  const work = mkdtempSync(join(tmpdir(), 'live-'));
  const small = join(work, 'small.wasm');
  const made = spawnSync(process.execPath, [join(here, 'node_modules', 'binaryen', 'bin', 'wasm-opt'), ...FEATURES, '-Oz', module, '-o', small], { stdio: 'inherit' });
  if (made.status !== 0) process.exit(1);
  const bytes = readFileSync(small);
  rmSync(work, { recursive: true });
  return bytes;
}
const bytes = quick ? readFileSync(module) : smaller();
// WebAssembly has no alignment, and its operators follow each other.
const { stdout: packed, status } = spawnSync('xz', ['--compress', '--stdout', `--lzma2=preset=${quick ? '1' : '9e'},lc=4,lp=0,pb=0`], { input: bytes, maxBuffer: 2 ** 26 });
if (status !== 0) process.exit(1);
writeFileSync(join(folder, 'module.wasm'), bytes);
writeFileSync(join(folder, 'module.js'), `window.syncscopeLive.module = '${packed.toString('base64')}';\n`);
writeFileSync(join(folder, 'there.js'), '// This copy of the book has the module next to this file.\n');
const size = (name) => readFileSync(join(folder, name)).length;
console.log(`module: ${bytes.length} bytes, ${packed.length} compressed; live.js: ${size('live.js')} bytes, ${gzipSync(readFileSync(join(folder, 'live.js')), { level: 9 }).length} compressed`);
if (!quick && (bytes.length > MODULE_MAX || packed.length > PACKED_MAX)) {
  console.log(`the module may have ${MODULE_MAX} bytes, and ${PACKED_MAX} compressed`);
  process.exit(1);
}
