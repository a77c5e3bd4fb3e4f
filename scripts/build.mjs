// Builds dist/: the program as a few files that bundle everything except zod, the transcript library with its types,
// the page, and the licences and a software bill of materials for the bundled packages.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build as buildPage } from 'vite';
import { stampOf } from '../src/app/cost/prices.ts';
import { PRICE_BOOK } from '../src/transcript/price/book.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Values that would otherwise be computed or read at every start. */
const KNOWN_VALUES = {
  FUEL_CODE_VERSION: JSON.stringify(version),
  FUEL_CODE_BOOK_ID: JSON.stringify(stampOf(PRICE_BOOK).id),
};

const NOT_BUNDLED = [
  // Part of the public types of `fuel-code/transcript`, so it must be the user's copy.
  /^zod(?:\/|$)/,
  // Optional dependency of pg.
  'pg-native',
];

/**
 * Entry points of interactive commands. Everything they import statically goes into one file, because each file costs
 * loading time.
 */
const CORE = [
  'src/main.ts',
  'src/cli/sessions.ts',
  'src/cli/cost.ts',
  'src/app/open-app.ts',
  'src/store/sqlite/open.ts',
  'src/archive/blobs/disk.ts',
  'src/archive/journal/disk.ts',
  'src/capture/spool/spool.ts',
];

/**
 * A single character beyond Latin-1 makes V8 store the whole file with two bytes per character, which loads more
 * slowly.
 */
const ASCII_ONLY = {
  name: 'ascii-only',
  generateBundle: (_options, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};

/** Built-in modules that most commands load and few use. Loading `node:crypto` alone takes a fifth as long as Node.js. */
const SELDOM_USED = ['node:crypto', 'node:fs/promises', 'node:timers/promises', 'node:zlib'];
const LOAD_LATER = 'const loadLater=name=>new Proxy({},{get:(_,key)=>require(name)[key]});';

/** Loads them on first use. */
const LAZY_BUILT_INS = {
  name: 'lazy-built-ins',
  generateBundle: (_options, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.name !== 'core') continue;
      chunk.code =
        LOAD_LATER +
        SELDOM_USED.reduce((code, name) => code.replace(`require("${name}")`, `loadLater("${name}")`), chunk.code);
    }
  },
};

const EXPORT = /Object\.defineProperty\(exports,"[\w$]+",\{enumerable:!0,get:function\(\)\{return.*?\}\}\)/g;

/**
 * Other files use some hundred functions of the core. Defining that many exports takes a tenth of the time of a short
 * command, so this is done when the first of these files is loaded.
 */
const LATE_EXPORTS = {
  name: 'late-exports',
  generateBundle: (_options, bundle) => {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const core = chunks.find(({ name }) => name === 'core');
    if (core === undefined) return;
    const exported = [...core.code.matchAll(EXPORT)].map(([text]) => text);
    const code = core.code.slice(0, core.code.indexOf(exported[0]));
    if (core.code.trimEnd() !== `${code}${exported.join()};`)
      throw new Error('The exports of the core are not where they were.');
    const late = `let all;exports.all=()=>all??=(exports=>(${exported.join()},exports))({});`;
    core.code = asModuleAndScript(`${code}exports.main=main;${late}`);
    for (const chunk of chunks) {
      if (chunk !== core)
        chunk.code = chunk.code.replaceAll(`require("./${core.fileName}")`, `require("./${core.fileName}").all()`);
    }
  },
};

/** As a script, its value is the function of the module: bin/fuel-code runs it as one. */
function asModuleAndScript(code) {
  const names = 'exports,require,module,__filename,__dirname';
  return `(run=>typeof module==="undefined"?run:run(${names}))(function(${names}){${code}\n});`;
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const chunks = [...(await bundleProgram()), ...(await bundleStatusLine()), ...(await bundleLibrary())];
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.lib.json'], {
  cwd: root,
  stdio: 'inherit',
});
const page = await buildPage({
  root: join(root, 'src/web'),
  configFile: join(root, 'src/web/vite.config.ts'),
  logLevel: 'warn',
});
const packages = bundledPackages([...chunks, ...page.output.filter(({ type }) => type === 'chunk')]);
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), packages.map(licenceOf).join('\n'));
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);

/**
 * CommonJS: an ES module that imports a Node.js built-in loads all of it, including streams and threads, which takes
 * about as long as starting Node.js.
 */
async function bundleProgram() {
  let core;
  const nameOf = (id, graph) => {
    core ??= reachedFrom(CORE, graph);
    return core.has(id) ? 'core' : null;
  };
  return write(
    {
      main: 'src/main.ts',
      'background-import-thread': 'src/app/background-import-thread.ts',
      'import-thread': 'src/app/import-thread.ts',
      'text-thread': 'src/app/text-thread.ts',
      'usage-scan-thread': 'src/app/cost/usage-scan-thread.ts',
      sentinel: 'src/app/sentinel.ts',
    },
    {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: ({ name }) => (name === 'core' ? 'core.cjs' : '[name]-[hash].cjs'),
      codeSplitting: { groups: [{ name: nameOf }] },
    },
  );
}

/** Apart from the program, because loading that would take longer than everything the status line does. */
function bundleStatusLine() {
  return write(
    { statusline: 'src/statusline.ts' },
    {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'statusline-[name]-[hash].cjs',
    },
    // Other engines need their driver: with one of them, `bin/fuel-code` loads the whole program.
    [...NOT_BUNDLED, /store\/(?!sqlite\/)[^/]+\/status-line\.ts$/],
  );
}

function bundleLibrary() {
  return write({ transcript: 'src/transcript/index.ts' }, { format: 'esm', chunkFileNames: 'transcript-[hash].js' });
}

async function write(input, output, external = NOT_BUNDLED) {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external,
    tsconfig: false,
    transform: { target: 'node22.18', define: KNOWN_VALUES },
    plugins: [ASCII_ONLY, LAZY_BUILT_INS, LATE_EXPORTS],
    // Not a problem here: a dynamically imported module may be part of the core anyway.
    checks: { ineffectiveDynamicImport: false },
  });
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
  const written = await bundle.write({ dir: join(root, 'dist'), minify, comments: false, ...output });
  await bundle.close();
  return written.output.filter(({ type }) => type === 'chunk');
}

function escapeUnit(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Modules and everything they import statically. */
function reachedFrom(paths, graph) {
  const reached = new Set(paths.map((path) => join(root, path)));
  for (const id of reached) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  return reached;
}

/** The packages whose code is part of the bundles. */
function bundledPackages(bundles) {
  const folders = new Set();
  for (const id of bundles.flatMap(({ moduleIds }) => moduleIds)) {
    const match = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(root, id));
    if (match) folders.add(match[0]);
  }
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return { folder, name, version, license };
  });
}

/** The MIT and Apache licences require their text to be distributed with the code. */
function licenceOf({ folder, name, version, license }) {
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE']
    .map((name) => join(root, folder, name))
    .find(existsSync);
  const text = file ? readFileSync(file, 'utf8').trim() : '(no licence file in the package)';
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n${text}\n`;
}

/** CycloneDX: `npm audit` cannot see bundled packages, so scanners need this list. */
function billOfMaterials(packages) {
  const component = ({ name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const licenses = license ? { licenses: [{ expression: license }] } : {};
    return { type: 'library', 'bom-ref': purl, name, version, purl, ...licenses };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'fuel-code', version, purl: `pkg:npm/fuel-code@${version}` } },
    components: packages.map(component),
  };
}
