import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, vi } from 'vitest';
import type { SessionDetail, SessionRow } from '../../src/api/sessions.ts';
import { LAUNCHER as OWN_LAUNCHER, type Run, runProgram } from '../support/run-program.ts';
import { type Model, type Script, startModel, type Tokens } from './model.ts';
import { HANG_MS, openTerminal, type Terminal } from './terminal.ts';

/** Written by scripts/test-client.mjs. */
const CLIENTS = JSON.parse(process.env.FUEL_CODE_CLIENTS ?? '{}') as Record<string, readonly string[]>;
export const VERSIONS = Object.keys(CLIENTS);

/** Whether a client is older than this version. Tests that do not name a client use the first one. */
export function isBefore(version: string, client = VERSIONS[0] ?? ''): boolean {
  return client.localeCompare(version, 'en', { numeric: true }) < 0;
}

/** These write the placeholder from the start of the stream instead of the token counts of the answer. */
export function writesNoOutputTokens(client?: string): boolean {
  return !isBefore('2.1.9', client) && isBefore('2.1.58', client);
}

/** For inspecting what the client wrote after the test. Do not commit it: it contains the client's own texts. */
const KEEP = process.env.CLIENT_KEEP;
const LAUNCHER = process.env.FUEL_CODE_LAUNCHER ?? OWN_LAUNCHER;
const API_KEY = 'a-key-for-nobody';

/** A Claude home with the real client in it, and fuel-code beside it. */
export interface Bench {
  readonly root: string;
  readonly claudeHome: string;
  /** The data folder of fuel-code. */
  readonly dataHome: string;
  readonly project: string;
  readonly model: Model;
  /** Runs one prompt in print mode and waits until it has finished. */
  print(prompt: string, options?: PrintOptions): Promise<Printed>;
  /** The same, without waiting. */
  start(prompt: string, options?: PrintOptions): Running;
  /** The client in a terminal, with these arguments. */
  open(...words: string[]): Terminal;
  /** Runs a subcommand of the client that does not call a model. */
  claude(...words: string[]): Promise<Run>;
  fuelCode(...words: string[]): Promise<Run>;
  /** Runs a command that must succeed and returns its JSON. */
  ask<T>(...words: string[]): Promise<T>;
  /** All files of a session under projects/, by their path in the Claude home, with their SHA-256. */
  filesOf(sessionId: string, claudeHome?: string): Map<string, string>;
  transcript(sessionId: string): string;
  /** Git in the project, as the person at the machine. */
  git(env: Readonly<Record<string, string>>, ...words: string[]): string;
}

/** The real client with our model, in a disposable home. */
export interface Lab extends Bench, AsyncDisposable {
  /** Another Claude home that feeds the same data folder. */
  addHome(name: string): Promise<Bench>;
}

export interface PrintOptions {
  readonly words?: readonly string[];
  readonly cwd?: string;
}

export interface Printed {
  readonly code: number | null;
  readonly signal: string | null;
  readonly sessionId: string;
  readonly result: string;
  readonly stderr: string;
  /** When the process was gone, by `performance.now`. */
  readonly endedAt: number;
}

export interface Running {
  readonly done: Promise<Printed>;
  kill(signal: NodeJS.Signals): void;
}

export interface LabOptions {
  readonly version?: string;
  /** False: our hooks are not installed. */
  readonly hooks?: boolean;
  /** Added to the client's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function createLab(
  script: Script,
  { version = VERSIONS[0], hooks = true, env: extra = {} }: LabOptions = {},
): Promise<Lab> {
  const client = CLIENTS[version ?? ''];
  if (client === undefined) throw new Error(`There is no client ${version}: run npm run test:client.`);
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-client-'));
  for (const folder of ['shop', 'home', 'tmp']) mkdirSync(join(root, folder));
  setUpProject(root);
  const model = await startModel(script);
  const addHome = async (name: string, withHooks = true) => {
    const bench = createBench({ root, client, model, extra }, join(root, name));
    if (withHooks) expect(await bench.fuelCode('hooks', 'install')).toMatchObject({ code: 0, stderr: '' });
    return bench;
  };
  const bench = await addHome('claude', hooks);
  return {
    ...bench,
    addHome: (name) => addHome(name),
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await stopAllBelow(root);
      if (KEEP !== undefined) keep(root, KEEP);
      rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 });
    },
  };
}

/** Every Claude home with its data folder, without the copies that tests have made. */
function keep(root: string, target: string): void {
  const isWanted = (path: string) => !/^(tmp$|restored)/.test(relative(root, path));
  cpSync(root, join(target, basename(root)), { recursive: true, filter: isWanted });
}

interface BenchParts {
  readonly root: string;
  readonly client: readonly string[];
  readonly model: Model;
  readonly extra: Readonly<Record<string, string>>;
}

function createBench({ root, client, model, extra }: BenchParts, claudeHome: string): Bench {
  const [project, dataHome] = [join(root, 'shop'), join(root, 'fuel-code')];
  mkdirSync(claudeHome);
  setUpClient(claudeHome, project);
  const env = { ...clientEnv(root, claudeHome, model), ...extra };
  const start = (prompt: string, options: PrintOptions = {}) =>
    startClient(client, prompt, { cwd: project, ...options }, env);
  const fuelCode = (...words: string[]) =>
    runProgram(words, {
      launcher: LAUNCHER,
      env: { HOME: env.HOME, FUEL_CODE_HOME: dataHome, CLAUDE_CONFIG_DIR: claudeHome },
    });
  return {
    root,
    claudeHome,
    dataHome,
    project,
    model,
    start,
    fuelCode,
    claude: (...words) => runClient(client, words, { cwd: project, env }),
    print: (prompt, options) => start(prompt, options).done,
    open: (...words) => {
      const options = { cwd: project, env, redraws: isBefore('2.1.20') };
      return openTerminal([...client, '--dangerously-skip-permissions', ...words], options);
    },
    ask: async <T>(...words: string[]) => {
      const { code, stdout, stderr } = await fuelCode(...words, '--json');
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as T;
    },
    filesOf: (sessionId, home = claudeHome) => hashFiles(home, sessionId),
    transcript: (sessionId) => {
      const path = [...hashFiles(claudeHome, sessionId).keys()].find((name) => name.endsWith(`/${sessionId}.jsonl`));
      return readFileSync(join(claudeHome, path ?? ''), 'utf8');
    },
    git: (more, ...words) => runGit(root, words, more),
  };
}

function clientEnv(root: string, claudeHome: string, model: Model) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    CLAUDE_CONFIG_DIR: claudeHome,
    CLAUDE_CODE_TMPDIR: join(root, 'tmp'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // Elsewhere the client refuses to skip its prompts as root.
    IS_SANDBOX: '1',
    LANG: 'C.UTF-8',
  };
}

/** Prevents questions when the client starts. */
function setUpClient(claudeHome: string, project: string): void {
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    // The client identifies a key by its last characters.
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
  };
  writeFileSync(join(claudeHome, '.claude.json'), JSON.stringify(state));
}

function runGit(root: string, words: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid'];
  const env = { PATH: process.env.PATH ?? '', HOME: join(root, 'home'), ...more };
  return execFileSync('git', [...who, ...words], { cwd: join(root, 'shop'), env, stdio: 'pipe' }).toString();
}

function setUpProject(root: string): void {
  writeFileSync(join(root, 'shop', 'README.md'), '# shop\n\nApples and pears.\n');
  runGit(root, ['init', '--quiet', '--initial-branch=main']);
  runGit(root, ['add', '.']);
  // Long before any session: git timestamps have whole seconds.
  const date = '2026-01-01T00:00:00Z';
  runGit(root, ['commit', '--quiet', '--message=first'], { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date });
  runGit(root, ['remote', 'add', 'origin', 'https://example.invalid/ada/shop.git']);
}

function startClient(
  [program = '', ...first]: readonly string[],
  prompt: string,
  { words = [], cwd }: PrintOptions & { readonly cwd: string },
  env: Record<string, string>,
): Running {
  const common = ['-p', prompt, '--output-format', 'json', '--dangerously-skip-permissions'];
  const child = spawn(program, [...first, ...common, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => (stdout += String(piece)));
  child.stderr.on('data', (piece) => (stderr += String(piece)));
  const { promise, resolve, reject } = Promise.withResolvers<Printed>();
  let endedAt = 0;
  child.on('error', reject);
  child.on('exit', () => (endedAt = performance.now()));
  child.on('close', (code, signal) => {
    const { session_id = '', result = '' } = parseResult(stdout);
    resolve({ code, signal, sessionId: session_id, result, stderr, endedAt });
  });
  return { done: promise, kill: (signal) => child.kill(signal) };
}

async function runClient(
  [program = '', ...first]: readonly string[],
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Run> {
  const child = spawn(program, [...first, ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = (stream: Readable) => Array.fromAsync<Buffer>(stream).then((pieces) => Buffer.concat(pieces).toString());
  const [stdout, stderr, [code]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

interface ClientResult {
  readonly session_id?: string;
  readonly result?: string;
}

/** Empty when the client was killed before it printed anything. */
function parseResult(stdout: string): ClientResult {
  return stdout.trim() === '' ? {} : (JSON.parse(stdout) as ClientResult);
}

function hashFiles(claudeHome: string, sessionId: string): Map<string, string> {
  const projects = join(claudeHome, 'projects');
  if (!existsSync(projects)) return new Map();
  const files = readdirSync(projects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(`/${sessionId}`) || isOldAgentOf(path, sessionId))
    .toSorted();
  return new Map(files.map((path) => [relative(claudeHome, path), sha256(readFileSync(path))]));
}

/**
 * Up to 2.0.76, the transcripts of sub-agents are beside those of all sessions of the project. Those that name two
 * sessions belong to either: the client was resumed while it warmed up an agent.
 */
function isOldAgentOf(path: string, sessionId: string): boolean {
  if (!/\/projects\/[^/]+\/agent-[^/]+\.jsonl$/.test(path)) return false;
  return linesOf(readFileSync(path, 'utf8')).every((line) => line.sessionId === sessionId);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hooks leave a worker behind, as they should; it is stopped with the lab. Only Linux shows to whom a process belongs. */
async function stopAllBelow(root: string): Promise<void> {
  await until(() => {
    const left = processesOf(root);
    for (const pid of left) signal(pid, 'SIGTERM');
    expect(left).toEqual([]);
  });
}

function processesOf(root: string): number[] {
  if (!existsSync('/proc/self/environ')) return workersOf(root);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readOrNothing(`/proc/${pid}/environ`).includes(root))
    .map(Number);
}

function workersOf(root: string): number[] {
  const pid = Number(readOrNothing(join(root, 'fuel-code', 'worker.pid')));
  return pid > 0 ? [pid] : [];
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited meanwhile.
  }
}

export const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: HANG_MS, interval: 50 });

export function tokensOf(...sessions: readonly SessionRow[]): Tokens {
  const sum = (pick: (row: SessionRow) => number | null) =>
    sessions.reduce((total, row) => total + (pick(row) ?? 0), 0);
  return {
    input: sum((row) => row.tokens_in),
    output: sum((row) => row.tokens_out),
    cacheRead: sum((row) => row.cache_read_tokens),
    cacheWrite: sum((row) => row.cache_write_tokens),
  };
}

/**
 * Everything the model billed is counted once. A resumed client up to 2.1.2 starts with another session id, in which it
 * warms up agents: if they are captured before they answer, they are a session without a prompt.
 */
export async function expectBilled(lab: Bench): Promise<void> {
  const { sessions } = await lab.ask<{ sessions: SessionRow[] }>('sessions', '--all', '--no-import');
  expectBilledTo(lab, ...sessions);
}

/** These sessions have every token that the model billed, as far as the client recorded it. */
export function expectBilledTo({ model }: Bench, ...sessions: readonly SessionRow[]): void {
  const tokens = tokensOf(...sessions);
  const { output } = writesNoOutputTokens() ? tokens : model.billed();
  expect(tokens).toEqual({ ...model.billed(), output });
}

interface CostState {
  readonly type: string;
  readonly modelUsage?: Record<string, Record<string, number>>;
}

/** The client's own final count; null if there is none. */
export function costStateOf(transcript: string): Tokens | null {
  const states = linesOf(transcript).filter((line): line is CostState => line.type === 'cost-state');
  const models = Object.values(states.at(-1)?.modelUsage ?? {});
  if (states.length === 0) return null;
  const sum = (field: string) => models.reduce((total, usage) => total + (usage[field] ?? 0), 0);
  return {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
  };
}

export interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly sessionId?: string;
  readonly version?: string;
  readonly attachment?: { readonly type: string };
}

export function linesOf(transcript: string): Line[] {
  return transcript
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/**
 * Waits until every byte of a session is archived and parsed, without starting an import, and returns what is stored.
 * Comparing sizes is enough here, since transcripts only grow; `restore` verifies the bytes.
 */
export async function captured(lab: Bench, sessionId: string): Promise<SessionDetail> {
  const ask = () => lab.ask<SessionDetail>('session', sessionId, '--no-import');
  await until(async () => {
    const stored = new Map((await ask()).files.map(({ path, size_bytes }) => [path, size_bytes]));
    for (const path of lab.filesOf(sessionId).keys()) {
      expect(stored.get(path), path).toBe(statSync(join(lab.claudeHome, path)).size);
    }
  });
  // Read again: the session may have been parsed before its files were complete.
  let detail: SessionDetail | undefined;
  await until(async () => {
    detail = await ask();
    expect(detail.parse_status).toBe('completed');
  });
  return detail as SessionDetail;
}

/** Its lines have only the listed anomalies and those that its client is known for, and none was skipped. */
export function expectUnderstood(session: SessionDetail, odd: SessionDetail['anomalies'] = {}): void {
  const version = session.cc_version ?? '';
  const { undercounted_usage, foreign_session, ...anomalies } = session.anomalies;
  expect(anomalies).toEqual(odd);
  if (!writesNoOutputTokens(version)) expect(undercounted_usage).toBeUndefined();
  // Lines that a fork has copied, and agents that a resumed client warms up.
  if (!isBefore('2.1.100', version)) expect(foreign_session).toBeUndefined();
  expect(session.lines).toMatchObject({ salvaged: 0, skipped: 0 });
  expect(session.unknown_models).toEqual([]);
}

/** `restore` returns what the client wrote, file by file and byte by byte. */
export async function expectGivenBack(lab: Bench, sessionId: string): Promise<void> {
  const wanted = lab.filesOf(sessionId);
  expect(wanted.size).toBeGreaterThan(0);
  const target = mkdtempSync(join(lab.root, 'restored-'));
  await lab.ask('restore', sessionId, '--to', target);
  expect(lab.filesOf(sessionId, target)).toEqual(wanted);
}
