import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTally } from '../../src/app/import-tally.ts';
import type { App } from '../../src/app/open-app.ts';
import { runPipeline } from '../../src/pipeline/run.ts';
import { listUnarchivedSessions, markUnparsed } from '../../src/store/queries/sessions/session-state.ts';
import { type ClaudeHome, createClaudeHome } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';
import { scaled } from '../support/sizes.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const MAIN = `-home-ada-shop/${ID}.jsonl`;
const AGENT = `-home-ada-shop/${ID}/subagents/agent-a1b2c3d4e5f60718.jsonl`;
const fixtures = join(import.meta.dirname, '../../src/transcript/fixtures');
const fixture = (name: string) => readFileSync(join(fixtures, name));
const mains = readdirSync(fixtures).filter((name) => name.endsWith('.jsonl'));
const agent = fixture('subagents/agent-a1b2c3d4e5f60718.jsonl');

/** Where to cut the file, in percent: also within a line and within a character. */
const growth = fc.record({
  name: fc.constantFrom(...mains, 'subagents/main.jsonl'),
  cuts: fc.uniqueArray(fc.double({ min: 0.02, max: 0.98, noNaN: true }), { minLength: 1, maxLength: 4 }),
  withAgent: fc.boolean(),
  isIndexed: fc.boolean(),
});

function appendNow(home: ClaudeHome, path: string, bytes: Uint8Array): void {
  home.append(path, bytes);
  const full = join(home.path, 'projects', path);
  utimesSync(full, NOW, NOW);
}

async function reparseAll(app: App, rowsOnly: boolean): Promise<void> {
  const { kysely } = app.store.engine;
  await markUnparsed(kysely, await listUnarchivedSessions(kysely), NOW.toISOString());
  await runPipeline(
    { ...(await app.openPipeline()), rowsOnly },
    createTally(() => {}),
  );
}

/** Rows, and their documents in the full-text index, whose ids only depend on when they were written. */
async function dumpAll(app: App): Promise<string> {
  const places = await app.store.engine.kysely
    .selectFrom('search_documents')
    .select(['session_id', 'message_id', 'block_order', 'part', 'kind', 'chars', 'call_id'])
    .execute();
  const lines = places.map((place) => JSON.stringify(place)).toSorted();
  return [await dumpStore(app.store.engine), ...lines].join('\n');
}

async function revisionOf(app: App): Promise<number> {
  const { revision } = await app.store.engine.kysely
    .selectFrom('sessions')
    .select('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

describe.each(PROGRAMS)('a growing session, on $name', ({ name, create }) => {
  it('D18, F14: always has the rows of a parse from the start', async () => {
    let extended = 0;
    const runs = name === 'SQLite and files' ? scaled(20) : scaled(5);
    await fc.assert(
      fc.asyncProperty(growth, async ({ name: file, cuts, withAgent, isIndexed }) => {
        using home = createClaudeHome();
        await using program = await create(home.path);
        await using app = await program.open();
        const bytes = fixture(file);
        const ends = [...cuts.toSorted((a, b) => a - b).map((cut) => Math.ceil(cut * bytes.length)), bytes.length];
        let at = 0;
        for (const [nth, end] of ends.entries()) {
          appendNow(home, MAIN, bytes.subarray(at, end));
          if (withAgent) {
            const part = Math.floor(agent.length / ends.length);
            appendNow(
              home,
              AGENT,
              agent.subarray(nth * part, nth === ends.length - 1 ? agent.length : (nth + 1) * part),
            );
          }
          at = end;
          await app.importNew({ rowsOnly: !isIndexed });
        }
        if ((await revisionOf(app)) === 1 && ends.length > 1) extended++;
        const grown = await dumpAll(app);
        await reparseAll(app, !isIndexed);
        expect(await dumpAll(app)).toBe(grown);
      }),
      { numRuns: runs, seed: 20261115 },
    );
    expect(extended, 'sessions that were parsed on from where they were').toBeGreaterThan(runs / 3);
  });
});
