import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { systemClock } from '../src/lib/timing.ts';
import { startPostgres } from '../test/setup/postgres.ts';
import { heading, isMain } from './measure.ts';

const SIZES = [500, 10_000, 100_000] as const;
const PAGE_ROWS = 50;
const RUNS = 5;

/** Opening a session of 500, 10,000 and 100,000 messages: its outline, a page from the middle, and a search in it. */
export async function benchOutline(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const claudeHome = join(home, 'claude');
  const folder = join(claudeHome, 'projects/-home-ada-harbour');
  mkdirSync(folder, { recursive: true });
  for (const messages of SIZES) writeFileSync(join(folder, `${idOf(messages)}.jsonl`), makeSession(messages));
  const postgres = await startPostgres();
  try {
    const stores: Readonly<Record<string, Record<string, string>>> = {
      SQLite: {},
      PostgreSQL: { DATABASE_URL: postgres.url },
    };
    for (const [name, env] of Object.entries(stores)) {
      await using app = await open({ ...env, FUEL_CODE_HOME: join(home, name), CLAUDE_CONFIG_DIR: claudeHome });
      await app.importNew();
      heading(`outline: ${name}, as multiples of a page of a session with ${SIZES[0]} messages`);
      await measureSizes(app);
    }
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true });
  }
}

async function measureSizes(app: App): Promise<void> {
  let unit: number | null = null;
  for (const messages of SIZES) {
    const params = { id: idOf(messages) };
    const middle = Math.floor(messages / 2);
    const page = await medianMs(() =>
      app.get('/sessions/:id/transcript', { params, query: { after: middle, limit: PAGE_ROWS } }),
    );
    const first = await timeMs(() => app.get('/sessions/:id/outline', { params }));
    const again = await medianMs(() => app.get('/sessions/:id/outline', { params }));
    const find = await medianMs(() => app.get('/sessions/:id/find', { params, query: { q: 'lighthouse' } }));
    unit ??= page;
    const bytes = JSON.stringify(await app.get('/sessions/:id/outline', { params })).length;
    const shown = [page, first, again, find].map((ms) => (ms / (unit ?? 1)).toFixed(1));
    console.log(
      `${messages} messages: page ${shown[0]}, outline ${shown[1]}, again ${shown[2]} (${bytes} bytes), find ${shown[3]}`,
    );
  }
  console.log(`One page of ${SIZES[0]} messages took ${unit?.toFixed(1)} ms.`);
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await timeMs(work));
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] as number;
}

function idOf(messages: number): string {
  return `${String(messages).padStart(8, '0')}-1111-4111-8111-111111111111`;
}

/** A turn is a prompt, three calls with their results, and an answer. */
const TURN_MESSAGES = 8;
const START_MS = Date.parse('2026-01-05T08:00:00.000Z');

function makeSession(messages: number): string {
  const lines: string[] = [];
  for (let number = 0; number < messages; number += 1) lines.push(JSON.stringify(lineOf(messages, number)));
  return `${lines.join('\n')}\n`;
}

function lineOf(session: number, number: number): object {
  const uuid = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-${String(session).padStart(12, '0')}`;
  const place = number % TURN_MESSAGES;
  const isModel = place % 2 === 1;
  const content = isModel ? answerOf(number, place) : askedOf(number, place);
  return {
    type: isModel ? 'assistant' : 'user',
    uuid: uuid(number),
    parentUuid: number === 0 ? null : uuid(number - 1),
    timestamp: new Date(START_MS + number * 1_000).toISOString(),
    sessionId: idOf(session),
    cwd: '/home/ada/harbour',
    version: '2.1.219',
    isSidechain: false,
    userType: 'external',
    message: isModel ? { ...MODEL, id: `msg_${session}_${number}`, content } : { role: 'user', content },
  };
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 200,
  cache_read_input_tokens: 50_000,
  cache_creation_input_tokens: 900,
};
const MODEL = { type: 'message', role: 'assistant', model: 'claude-opus-4-6', stop_reason: 'end_turn', usage: USAGE };
const WORDS = 'The ferry leaves the harbour at nine and passes the old pier before it turns north. '.repeat(5);

function askedOf(number: number, place: number): unknown {
  if (place === 0) return `Question ${number}: ${WORDS}`;
  return [{ type: 'tool_result', tool_use_id: `call_${number - 1}`, content: `${WORDS}${WORDS}${WORDS}` }];
}

function answerOf(number: number, place: number): unknown {
  if (place === TURN_MESSAGES - 1) return [{ type: 'text', text: `${WORDS} The lighthouse is number ${number}.` }];
  const name = ['Read', 'Bash', 'Grep'][Math.floor(place / 2)] ?? 'Read';
  const input = { command: `look ${number}`, file_path: `/home/ada/harbour/${number}.txt`, pattern: 'ferry' };
  return [
    { type: 'text', text: `Step ${number}.` },
    { type: 'tool_use', id: `call_${number}`, name, input },
  ];
}

function open(env: Readonly<Record<string, string>>): Promise<App> {
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config: loadConfig(env).config, clock: systemClock, log });
}

if (isMain(import.meta.url)) await benchOutline();
