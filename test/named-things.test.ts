import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '../src/cli/commands.ts';
import { OPTIONS } from '../src/config.ts';
import { ROUTES } from '../src/server/routes.ts';

const ROOT = join(import.meta.dirname, '..');
const isPage = (path: string) => path.endsWith('.md');
const isSource = (path: string) => /(?<!\.test)\.(?:tsx?|md|sh)$/.test(path) && !path.includes('/testing/');

const FILES = [
  ...readdirSync(ROOT).filter(isPage),
  ...['docs', 'plugin', 'src', '.github'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path}`)
      .filter(isSource),
  ),
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** What the pattern finds in these files and `isKnown` rejects. */
function unknownIn(
  files: typeof FILES,
  pattern: RegExp,
  isKnown: (groups: Readonly<Record<string, string>>) => boolean,
): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(({ groups = {} }) => !isKnown(groups))
      .map(([found]) => `${path}: ${found.slice(0, 80)}`),
  );
}

const commands = new Map((await loadCommands()).map(({ name, options }) => [name, Object.keys(options)]));
/** Every command has these, or `fuel-code` itself. */
const COMMON = ['help', 'version', 'json', 'csv', 'no-import', 'no-pager', 'remote', 'server'];

// Regression: renamed options and routes lived on in the manual and in hints.
describe('the manual and the messages of the program', () => {
  it('name only existing commands', () => {
    // A message may begin with a sentence about fuel-code.
    const named = /(?:`|\$ )fuel-code (?!is |stores )(?:--remote )?(?<name>[a-z][a-z-]*)/g;
    expect(unknownIn(FILES, named, ({ name = '' }) => commands.has(name) || COMMON.includes(name))).toEqual([]);
  });

  it('name only existing options of commands', () => {
    const named = /fuel-code (?:--remote )?(?<name>[a-z][a-z-]*)(?<words>(?: [^\n`|#"]*)?)/g;
    const isKnown = ({ name = '', words = '' }: Readonly<Record<string, string>>) => {
      const options = [...COMMON, ...(commands.get(name) ?? [])];
      return (
        !commands.has(name) || [...words.matchAll(/ --([a-z][a-z-]*)/g)].every(([, one = '']) => options.includes(one))
      );
    };
    expect(unknownIn(FILES, named, isKnown)).toEqual([]);
  });

  it('name only existing routes', () => {
    const routes = new Set(ROUTES.map(({ method, path }) => `${method} ${path.replace(/^\/api/, '')}`));
    const named = /`(?<method>GET|POST|PUT|PATCH|DELETE) (?:\/api)?(?<path>\/[\w/:.-]+)(?=[`? ])/g;
    const pages = FILES.filter(({ path }) => isPage(path) && path !== 'CONTRIBUTING.md');
    expect(unknownIn(pages, named, ({ method, path }) => routes.has(`${method} ${path}`))).toEqual([]);
  });

  it('name only environment variables that exist', () => {
    const others = ['FUEL_CODE_NO_WORKER', 'FUEL_CODE_DEBUG'];
    const known = new Set([...Object.values(OPTIONS).map(({ env }) => env as string), ...others]);
    const pages = FILES.filter(({ path }) => isPage(path));
    expect(unknownIn(pages, /(?<name>FUEL_CODE_[A-Z_]+)/g, ({ name = '' }) => known.has(name))).toEqual([]);
  });

  it('list the variables that make repeated tests longer', () => {
    const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });
    const sizes = tests.flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bsize\('(\w+)', /g)]);
    const table =
      /\| variable \| default[^]*?\n\n/.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))?.[0] ?? '';
    const listed = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
    expect(new Set(listed)).toEqual(new Set(sizes.map(([, name]) => name)));
  });
});
