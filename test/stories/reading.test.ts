import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const PATH = `-w/${ID}.jsonl`;
const TURNS = 20;
const BY_HAND = { signal: new AbortController().signal, onProgress: () => {} };

/** Two messages with a block each, and a third one with the result. */
function writeTurns(home: ClaudeHome, talk: ReturnType<typeof createTalk>, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const lines = [
      talk.user(`Question ${n}`),
      talk.assistant(`msg_${n}`, toolUse(`toolu_${n}`, 'Bash', { command: 'ls' }), { input: 1, output: 1 }),
      talk.result(`toolu_${n}`, 'files'),
      talk.assistant(`msg_${n}b`, text('done'), { input: 1, output: 1 }),
    ];
    home.append(PATH, lines);
  }
}

/** Reads repeatedly until the work is done and returns the distinct numbers of messages it saw. */
async function readDuring(app: App, work: Promise<unknown>): Promise<ReadonlySet<number>> {
  const seen = new Set<number>();
  const progress = { isDone: false };
  const done = work.finally(() => (progress.isDone = true));
  while (!progress.isDone) {
    const { messages } = await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 1_000 } });
    for (const { id, content_blocks } of messages) expect(content_blocks, id).toHaveLength(1);
    seen.add(messages.length);
    const { sessions } = await app.get('/search', { query: { q: 'files', limit: 10 } });
    for (const session of sessions) expect(session.session_id).toBe(ID);
    // Other tasks must get a turn, too.
    await new Promise(setImmediate);
  }
  await done;
  return seen;
}

describe.each(PROGRAMS)('F14: readers on $name', ({ create }) => {
  it('see a complete session, old or new, while everything is reparsed', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    await using reader = await program.open();
    writeTurns(home, createTalk(ID), 0, TURNS);
    await app.importNew();
    const work = async () => {
      for (let n = 0; n < 12; n++) {
        // Simulates a newer parser: every session was parsed by an older one.
        await app.store.engine.kysely.updateTable('sessions').set({ parser_version: 0 }).execute();
        await app.importNew({ rowsOnly: true });
      }
      await reparse(app, 'all', NOW.toISOString(), BY_HAND);
    };
    expect([...(await readDuring(reader, work()))]).toEqual([TURNS * 4]);
  });

  it('see complete states of a growing session', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    await using reader = await program.open();
    const talk = createTalk(ID);
    const grow = async (turn: number) => {
      writeTurns(home, talk, turn, turn + 1);
      utimesSync(`${home.path}/projects/${PATH}`, NOW, NOW);
      await app.importNew({ rowsOnly: true });
    };
    await grow(0);
    const work = async () => {
      for (let turn = 1; turn < TURNS; turn++) await grow(turn);
    };
    const seen = await readDuring(reader, work());
    expect([...seen].filter((count) => count % 4 !== 0)).toEqual([]);
    expect(
      (await reader.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 1_000 } })).messages,
    ).toHaveLength(TURNS * 4);
  });
});
