// Builds dist/: the program as a few ES modules with everything bundled but zod, the library face with its types,
// the page, and the licences of what is bundled.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { build as buildPage } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(join(root, 'dist'), { recursive: true, force: true });
const { metafile } = await bundle({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    'import-worker': 'src/import-worker.ts',
    'usage-scan-worker': 'src/usage-scan-worker.ts',
    transcript: 'src/transcript/index.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  // zod stands in the public types of `fuel-code/transcript`, so it must be the user's copy; pg-native is optional.
  external: ['zod', 'pg-native'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define: { FUEL_CODE_VERSION: JSON.stringify(version) },
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  logLevel: 'warning',
});
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.lib.json'], {
  cwd: root,
  stdio: 'inherit',
});
await buildPage({ root: join(root, 'src/web'), configFile: join(root, 'src/web/vite.config.ts'), logLevel: 'warn' });
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licences(Object.keys(metafile.inputs)));

/** What the MIT and Apache licences ask of who ships others' code. */
function licences(inputs) {
  const folders = new Set([
    'node_modules/react',
    'node_modules/react-dom',
    'node_modules/@tanstack/react-query',
    'node_modules/@tanstack/react-virtual',
  ]);
  for (const input of inputs) {
    const match = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
    if (match) folders.add(match[0]);
  }
  return [...folders].sort().map(licenceOf).join('\n');
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE']
    .map((name) => join(root, folder, name))
    .find(existsSync);
  const text = file ? readFileSync(file, 'utf8').trim() : '(no licence file in the package)';
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n${text}\n`;
}
