import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERROR_CATALOG, EXIT_CODES } from '../../src/domain/errors.ts';
import { acquireFileLock } from '../../src/lib/lock-file.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { runProgram, startProgram } from '../support/run-program.ts';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
let refusing: Server;
let port = '';

beforeAll(async () => {
  claude = createClaudeHome();
  const talk = createTalk(ID);
  const lines = [talk.user('Hello.'), talk.assistant('m1', text('Hi.'), { input: 1_000_000, output: 1 })];
  claude.write(`-w/${ID}.jsonl`, lines);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-exit-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path, FUEL_CODE_SERVER_TOKEN: 't'.repeat(32) };
  writeFileSync(join(home, 'break.cjs'), "require('node:os').hostname = () => { throw new TypeError('Broken.'); };");
  refusing = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'unauthorized', message: 'No.' } }));
  }).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  port = String((refusing.address() as AddressInfo).port);
  await runProgram(['backfill'], { env });
});

afterAll(() => {
  refusing.close();
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

/** One command line for each exit code; PORT is that of a server that rejects every request, HOME is the scratch folder. */
const WALK: readonly (readonly [code: number, words: string, env?: Record<string, string>])[] = [
  [0, 'sessions'],
  [0, 'sessions --title nothing-has-it --json'],
  [1, 'search teapot'],
  [2, 'sessions --nope'],
  [2, 'status', { DATABASE_URL: 'shop' }],
  [3, 'session ffffffff'],
  [3, 'restore --history'],
  [4, 'sessions --server http://127.0.0.1:PORT'],
  [5, 'rebuild'],
  [6, 'sessions --server http://127.0.0.1:1'],
  [7, 'restore aaaaaaaa --to HOME/break.cjs/folder'],
  [7, 'sessions', { FUEL_CODE_HOME: 'HOME/break.cjs' }],
  [8, 'budget --check'],
  [70, 'sessions', { FUEL_CODE_HOME: 'HOME/new', NODE_OPTIONS: '--require HOME/break.cjs' }],
];
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const filled = (word: string) => word.replace('PORT', port).replace('HOME', home);

it.each(WALK.map(([code, words, more = {}]) => ({ code, words, more })))('exits with $code: $words', async (step) => {
  const { code, words, more } = step;
  if (code === 8) await runProgram(['budget', 'set', 'month', '0.01'], { env });
  using _lock = code === 5 ? lockRebuild() : null;
  const own = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, filled(value)]));
  const run = await runProgram(words.split(' ').map(filled), { env: { ...env, ...own } });
  expect([run.code, run.stderr]).toEqual([code, code === 0 ? '' : expect.stringMatching(/^fuel-code: [A-Z].*\.\n/)]);
});

function lockRebuild(): Disposable {
  const lock = acquireFileLock(join(home, 'data', 'rebuild.lock'));
  return { [Symbol.dispose]: () => lock?.release() };
}

it.each(Object.entries(SIGNALS))('%s ends a command with %i', async (name, code) => {
  const child = startProgram(['tail', '--no-import'], { env });
  child.stdout.resume();
  await once(child.stderr, 'data');
  child.kill(name as keyof typeof SIGNALS);
  expect((await once(child, 'close'))[0]).toBe(code);
});

it('covers every exit code, and every error has one of them', () => {
  const walked = new Set([...WALK.map(([code]) => code), ...Object.values(SIGNALS)]);
  const known = Object.keys(EXIT_CODES).map(Number);
  expect([...walked].toSorted((a, b) => a - b)).toEqual(known);
  expect(Object.values(ERROR_CATALOG).filter(({ exit }) => !known.includes(exit))).toEqual([]);
});

it('`fuel-code help exit-codes` prints them', async () => {
  const { code, stdout } = await runProgram(['help', 'exit-codes'], { env });
  expect(code).toBe(0);
  for (const exit of Object.keys(EXIT_CODES)) expect(stdout).toMatch(new RegExp(`^  ${exit} +[A-Zf]`, 'm'));
});
