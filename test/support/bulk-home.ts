import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/app/open-app.ts';
import type { ImportThreads } from '../../src/pipeline/bulk.ts';
import { type ClaudeHome, createTalk, text, toolUse } from './claude-home.ts';
import { dumpStore, WITH_TEXTS } from './dump-store.ts';
import { at, clearLines, copied, exchange, opened } from './lineage-home.ts';
import { PROGRAMS, type Program } from './programs.ts';

/** A Claude home with many kinds of sessions, and the rows to compare after importing them in different ways. */

const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';
/** Tables that an import derives or fills, besides those that `dumpStore` compares. */
const ALSO = ['session_lineage', 'session_workspaces', 'adopted_usage', 'workspaces', 'session_summaries'];
const LONG_AGO = new Date('2026-11-02T00:00:00.000Z');

export const id = (n: number) => `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;

/** A session with more than ten sub-agents, which tests numeric order, each with its meta file, and a saved output. */
export function writeAgents(home: ClaudeHome): void {
  const talk = createTalk(id(1), { startedAt: at(0) });
  const saved = '<persisted-output>\nOutput too large (1KB). Full output saved to: /x/tool-results/toolu_1.txt\n';
  home.write(`-w/${id(1)}.jsonl`, [
    talk.user('Ask everybody.'),
    talk.assistant('msg_main', toolUse('toolu_1', 'Bash', { command: 'cat all' }), { input: 5, output: 6 }),
    talk.result('toolu_1', saved),
  ]);
  for (let n = 0; n < 12; n++) {
    const name = `-w/${id(1)}/subagents/agent-a${n}`;
    const own = createTalk(id(1), { prefix: `a${n}-`, startedAt: at(n) });
    const lines = [own.user(`Task ${n}`), own.assistant(`msg_a${n}`, text('Done.'), { input: n, output: 1 })];
    home.write(
      `${name}.jsonl`,
      lines.map((line) => ({ ...line, isSidechain: true, agentId: `a${n}` })),
    );
    home.write(`${name}.meta.json`, [{ agentType: `kind-${n}` }]);
  }
  home.write(`-w/${id(1)}/tool-results/toolu_1.txt`, [{ all: 'of it' }]);
}

/** A session, its fork, a copy of both in one, and a session that /clear started. */
export function writeFamily(home: ClaudeHome): void {
  const first = [...opened(id(2), 0), ...exchange(id(2), 'one', 1), ...exchange(id(2), 'two', 10)];
  home.write(`-w/${id(2)}.jsonl`, first);
  home.write(`-w/${id(3)}.jsonl`, [...copied(first, id(3)), ...exchange(id(3), 'three', 30)]);
  home.write(`-w/${id(4)}.jsonl`, [...copied(first.slice(0, 5), id(4)), ...exchange(id(4), 'four', 40)]);
  home.write(`-w/${id(5)}.jsonl`, [...clearLines(id(5), 60), ...exchange(id(5), 'five', 61)]);
}

/** Titles for other sessions, a session that the index lists, an empty file, and lines that are not JSON. */
export function writeOddities(home: ClaudeHome): void {
  const [leaf] = exchange(id(2), 'two', 10).slice(-1);
  home.write(`-w/${id(6)}.jsonl`, [{ type: 'summary', summary: 'What came out of it', leafUuid: leaf?.uuid }]);
  home.write(`-v/${id(7)}.jsonl`, exchange(id(7), 'seven', 70));
  const entry = { sessionId: id(7), summary: 'Listed', projectPath: '/listed', created: at(70), modified: at(80) };
  home.write('-v/sessions-index.json', [{ version: 1, originalPath: '/v', entries: [entry] }]);
  home.write(`-v/${id(8)}.jsonl`, []);
  writeFileSync(join(home.path, 'projects/-v', `${id(9)}.jsonl`), '{"type":"user","message":\nnot json\n');
}

/** Old enough that all sessions have ended. */
export function settle(home: ClaudeHome): void {
  for (const file of filesOf(home)) utimesSync(join(home.path, file), LONG_AGO, LONG_AGO);
}

export function filesOf({ path }: ClaudeHome): readonly string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}

/** A program on one of the engines, with the same device id in each. */
export async function create(name: string, home: ClaudeHome): Promise<Program> {
  const program = await (PROGRAMS.find((each) => each.name === name) as (typeof PROGRAMS)[number]).create(home.path);
  writeFileSync(join(program.config.home, 'device.json'), DEVICE, { mode: 0o600 });
  return program;
}

/** All rows derived from the transcripts or recorded with them, as text. */
export async function dumpAll({ store: { engine } }: App): Promise<string> {
  const beside = (await dumpStore(engine, ALSO)).replaceAll(/"(?:decided_at|made_at|updated_at)":"[^"]*"/g, '""');
  return `${await dumpStore(engine, WITH_TEXTS)}\n${beside}`;
}

export type Death = 'while it stores files' | 'while it parses';

/** Threads that exit on their first request. */
export function dying(threads: ImportThreads, when: Death, onBuild: () => void): ImportThreads {
  const die = () => threads[Symbol.asyncDispose]();
  return {
    open: () => {
      const thread = threads.open();
      if (thread === null) return null;
      return {
        ...thread,
        store: async (changes, done) => {
          const stored = thread.store(changes, done);
          if (when === 'while it stores files') await Promise.allSettled([stored, die()]);
          return stored;
        },
        build: (inputs) => {
          const built = thread.build(inputs);
          if (built !== null) onBuild();
          void die();
          return built;
        },
      };
    },
    [Symbol.asyncDispose]: die,
  };
}
