import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from './claude-home.ts';
import { NOW, type PROGRAMS, type Program, silentLog } from './programs.ts';

export const GONE = '11111111-2222-4333-8444-555555555555';
export const FORK = '22222222-2222-4333-8444-555555555555';
export const OTHER = '33333333-2222-4333-8444-555555555555';
/** A single word in the text index, and not a prefix of any other. */
export const CANARY = 'zq7canarysings';

/** A session with the canary in each of its files, a fork of its beginning, and an unrelated session. */
export function fillHome(home: ClaudeHome): void {
  const talk = createTalk(GONE, { prefix: 'f' });
  const begin = [talk.user('How do I begin?'), talk.assistant('msg_1', text('Like this.'), { input: 10, output: 20 })];
  home.write(`-home-ada-shop/${GONE}.jsonl`, [
    ...begin,
    { ...talk.user(`Plan with ${CANARY}`), slug: 'brave-plan' },
    talk.assistant('msg_2', toolUse('toolu_1', 'Bash', { command: `echo ${CANARY}` }), { input: 30, output: 40 }),
    talk.result('toolu_1', CANARY),
    talk.assistant('msg_3', { type: 'thinking', thinking: CANARY }, { input: 50, output: 60 }),
  ]);
  const agent = createTalk(GONE, { prefix: 'a' });
  home.write(`-home-ada-shop/${GONE}/subagents/agent-a1.jsonl`, [{ ...agent.user(CANARY), agentId: 'a1' }]);
  home.write(`-home-ada-shop/${GONE}/tool-results/toolu_1.txt`, CANARY);
  home.write(`-home-ada-shop/sessions-index.json`, indexOf([GONE, CANARY], [OTHER, 'Kept prompt']));
  home.write(`../tasks/${GONE}/1.json`, JSON.stringify({ id: '1', subject: CANARY }));
  home.write(`../todos/${GONE}-agent-${GONE}.json`, JSON.stringify([{ content: CANARY, status: 'pending' }]));
  home.write(`../file-history/${GONE}/ab@v1`, CANARY);
  home.write(`../plans/brave-plan.md`, `# ${CANARY}\n`);
  home.write('../history.jsonl', [
    { display: 'Kept line', project: '/home/ada/shop', sessionId: OTHER, timestamp: 1 },
    { display: CANARY, project: '/home/ada/shop', sessionId: GONE, timestamp: 2 },
  ]);
  const fork = createTalk(FORK, { prefix: 'f' });
  home.write(`-home-ada-shop/${FORK}.jsonl`, [
    fork.user('How do I begin?'),
    fork.assistant('msg_1', text('Like this.'), { input: 10, output: 20 }),
    { ...fork.user('Another way'), timestamp: '2026-11-02T10:00:00.000Z' },
    fork.assistant('msg_9', text('The fork goes on.'), { input: 1, output: 2 }),
  ]);
  const other = createTalk(OTHER, { prefix: 'o' });
  home.write(`-home-ada-shop/${OTHER}.jsonl`, [
    other.user('Something else'),
    other.assistant('msg_8', text('Stays.'), { input: 5, output: 6 }),
  ]);
}

function indexOf(...entries: readonly (readonly [string, string])[]): string {
  return JSON.stringify({
    version: 1,
    entries: entries.map(([sessionId, firstPrompt]) => ({ sessionId, firstPrompt, summary: firstPrompt })),
  });
}

let hooks = 0;

/** The client's hook payload at the end of a turn. */
export function spoolHookPayload(dataHome: string, home: ClaudeHome, sessionId = GONE): void {
  mkdirSync(join(dataHome, 'spool'), { mode: 0o700, recursive: true });
  const payload = {
    session_id: sessionId,
    hook_event_name: 'Stop',
    cwd: '/home/ada/shop',
    transcript_path: join(home.path, `projects/-home-ada-shop/${sessionId}.jsonl`),
    last_assistant_message: CANARY,
  };
  const name = `spool/${1_790_000_000_000 + hooks++}-1-1.json`;
  writeFileSync(join(dataHome, name), JSON.stringify(payload), { mode: 0o600 });
}

export interface MovableClock extends Clock {
  /** Minutes after the start of the test. */
  setMinutes(minutes: number): void;
}

export function movableClock(): MovableClock {
  let ms = NOW.getTime();
  return {
    now: () => new Date(ms),
    monotonicMs: () => performance.now(),
    setMinutes: (minutes) => {
      ms = NOW.getTime() + minutes * 60_000;
    },
  };
}

export function openAt({ config }: Program, clock: Clock): Promise<App> {
  return openApp({ config, clock, log: silentLog });
}

export function sendIn(app: App, clock: Clock) {
  return sendTo(createCommands(app, clock, () => {}));
}

export interface Deletable extends AsyncDisposable {
  readonly home: ClaudeHome;
  readonly program: Program;
  readonly clock: MovableClock;
  readonly app: App;
}

/** A program that has imported the home, with annotations and events. */
export async function openDeletable(create: (typeof PROGRAMS)[number]['create']): Promise<Deletable> {
  const stack = new AsyncDisposableStack();
  const home = stack.use(createClaudeHome());
  fillHome(home);
  const clock = movableClock();
  const program = stack.use(await create(home.path));
  const app = stack.use(await openAt(program, clock));
  await importAll(app, home, clock);
  return { home, program, clock, app, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Imports the home and adds annotations and events to the session, each with the canary. */
export async function importAll(app: App, home: ClaudeHome, clock: Clock): Promise<void> {
  spoolHookPayload(app.config.home, home);
  spoolHookPayload(app.config.home, home, OTHER);
  await app.drainHooks();
  await app.importNew();
  const send = sendIn(app, clock);
  const params = { id: GONE };
  await send('PATCH /sessions/:id', { params, body: { title: CANARY, summary: CANARY, add_tags: [CANARY] } });
  await send('PATCH /sessions/:id', { params, body: { is_pinned: true } });
  await send('POST /sessions/:id/notes', { params, body: { text: CANARY } });
  await send('POST /sessions/:id/shares', { params, body: { expires_in: 3600 } });
  await app.importNew();
}

export async function listIds(app: App): Promise<readonly string[]> {
  const { sessions } = await app.get('/sessions', { query: { all: true, limit: 50 } });
  return sessions.map(({ id }) => id).toSorted();
}
