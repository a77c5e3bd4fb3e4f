import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportedSession } from '../../src/api/export.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { foreignNodes, nodesOf, parseGfm } from '../support/parse-markdown.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';
import { serveProgram } from '../support/serve-program.ts';

const idOf = (n: number) => `${String(n).repeat(8)}-2222-4333-8444-555555555555`;
/** Titles that would be invalid file names or invalid Markdown. */
const PROMPTS = ['../../../etc/passwd', 'CON', 'index', '<img src=x onerror=y> [a](javascript:b)', '🦭 | `x`', 'Plain'];

function write(claude: ClaudeHome, n: number, prompt: string, more: readonly string[] = []): void {
  const talk = createTalk(idOf(n));
  const lines = [prompt, ...more].flatMap((said, at) => [
    talk.user(said),
    talk.assistant(`m${n}-${at}`, text(`Answer ${at}`), { input: 1, output: 1 }),
  ]);
  claude.write(`-srv-shop/${idOf(n)}.jsonl`, lines);
}

describe('fuel-code export', () => {
  let claude: ClaudeHome;
  let program: Program;
  let folder = '';
  beforeEach(async () => {
    claude = createClaudeHome();
    for (const [n, prompt] of PROMPTS.entries()) write(claude, n + 1, prompt);
    program = await (PROGRAMS[0] as (typeof PROGRAMS)[number]).create(claude.path);
    folder = join(mkdtempSync(join(tmpdir(), 'fuel-code-export-')), 'talks');
  });
  afterEach(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (...words: string[]) =>
    runCommand(['export', '--to', folder, ...words], { config: program.config, openApp: program.open });
  const report = async (...words: string[]) =>
    JSON.parse((await run(...words, '--json')).out) as Record<string, unknown>;
  const files = () =>
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  it('I10: writes a file per session with a safe name, and an index with links to them', async () => {
    expect(await report()).toMatchObject({ exported: PROMPTS.length, unchanged: 0, failed: [] });
    expect(files()).toHaveLength(PROMPTS.length + 1);
    for (const name of files()) expect(name).toMatch(/^[a-z0-9][a-z0-9-]*\.md$/);
    const index = parseGfm(read('index.md'));
    const links = nodesOf(index).flatMap(({ type, url }) => (type === 'link' ? [url ?? ''] : []));
    expect(links.toSorted()).toEqual(files().filter((name) => name !== 'index.md'));
    expect(foreignNodes(index).filter((node) => !links.includes(node.replace('link ', '')))).toEqual([]);
  });

  it.each(['md', 'html', 'json', 'csv'])(
    '%s: skips unchanged sessions and writes those that changed',
    async (format) => {
      await report('--format', format);
      const before = new Map(files().map((name) => [name, statSync(join(folder, name)).ino]));
      expect(await report('--format', format)).toMatchObject({ exported: 0, unchanged: PROMPTS.length });
      write(claude, 6, 'Plain', ['And more']);
      expect(await report('--format', format)).toMatchObject({ exported: 1, unchanged: PROMPTS.length - 1 });
      const changed = files().filter((name) => statSync(join(folder, name)).ino !== before.get(name));
      expect(changed).toEqual([`index.${format}`, `plain-66666666.${format}`].sort());
      expect(read(`plain-66666666.${format}`)).toContain('And more');
      if (format === 'json') expect(() => exportedSession.parse(JSON.parse(read('plain-66666666.json')))).not.toThrow();
    },
  );

  it('overwrites no file that it did not create, or that was changed since, without --force', async () => {
    await report('is:live');
    writeFileSync(join(folder, 'plain-66666666.md'), 'mine');
    const { error } = await run();
    expect([error?.code, error?.message.includes('was not made by this export')]).toEqual(['conflict', true]);
    expect(read('plain-66666666.md')).toBe('mine');
    expect(await report('--force')).toMatchObject({ failed: [] });
    expect(read('plain-66666666.md')).toContain('Answer 0');
    writeFileSync(join(folder, 'plain-66666666.md'), 'edited');
    write(claude, 6, 'Plain', ['And more']);
    expect((await run()).error?.message).toContain('was changed since it was exported');
    expect(read('plain-66666666.md')).toBe('edited');
  });

  it('continues after a crash: a torn list, a half-written file and a missing one', async () => {
    await report();
    const list = join(folder, '.fuel-code-export-md.jsonl');
    const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
    const half = lines.map((line) =>
      line.includes('plain-') ? line.replace(/"sha256":"\w+"/, '"sha256":null') : line,
    );
    writeFileSync(list, `${half.join('\n')}\n{"session_id":"${idOf(1)}","fi`);
    writeFileSync(join(folder, 'plain-66666666.md'), 'half');
    const missing = files().find((name) => name.startsWith('con-')) ?? '';
    rmSync(join(folder, missing));
    expect(await report()).toMatchObject({ exported: 2, unchanged: PROMPTS.length - 2 });
    expect([existsSync(join(folder, missing)), read('plain-66666666.md').includes('Answer 0')]).toEqual([true, true]);
  });

  it('writes nowhere else, whatever its list contains', async () => {
    await report();
    const list = join(folder, '.fuel-code-export-md.jsonl');
    writeFileSync(list, readFileSync(list, 'utf8').replaceAll('plain-66666666.md', '../outside.md'));
    rmSync(join(folder, 'plain-66666666.md'));
    await report();
    expect([existsSync(join(folder, '../outside.md')), files().includes('plain-66666666.md')]).toEqual([false, true]);
  });

  it.each([
    [[], '--to is required'],
    [['--to', 'x', '--format', 'htm'], 'Unknown value "htm" for --format.'],
    [['--to', 'x', '--format', 'html', '--raw'], 'always redacted'],
  ])('%j is rejected', async (words, message) => {
    const { error } = await runCommand(['export', ...words], { config: program.config, openApp: program.open });
    expect([error?.code, error?.message.includes(message)]).toEqual(['usage', true]);
  });
});

describe.each(PROGRAMS)('fuel-code export ($name)', (kind) => {
  it('writes the same files from a server', async () => {
    await using served = await serveProgram(kind);
    const parent = mkdtempSync(join(tmpdir(), 'fuel-code-export-'));
    const [here, there] = [join(parent, 'here'), join(parent, 'there')];
    const local = { config: served.program.config, openApp: () => served.program.open() };
    const remote = { config: served.clientConfig(), openApp: () => Promise.reject(new Error('opened')) };
    for (const format of ['md', 'html', 'json', 'csv']) {
      await runCommand(['export', '--to', here, '--format', format, '--no-import'], local);
      await runCommand(['export', '--to', there, '--format', format, '--remote'], remote);
    }
    const contents = (path: string) =>
      readdirSync(path)
        .filter((name) => !name.startsWith('.'))
        .map((name) => [name, readFileSync(join(path, name), 'utf8')]);
    expect(contents(here).length).toBeGreaterThan(8);
    const others = new Map(contents(there).map(([name = '', content = '']) => [name, content]));
    expect([...others.keys()]).toEqual(contents(here).map(([name]) => name));
    // Compared without a diff, which would take minutes for whole pages.
    expect(contents(here).flatMap(([name = '', content]) => (others.get(name) === content ? [] : [name]))).toEqual([]);
    for (const [name = '', content = ''] of contents(here)) {
      if (name.endsWith('.md') && name !== 'index.md') expect(foreignNodes(parseGfm(content))).toEqual([]);
      if (name.endsWith('.json') && name !== 'index.json') exportedSession.parse(JSON.parse(content));
    }
    rmSync(parent, { recursive: true });
  });
});
