import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { FuelError } from '../../src/domain/errors.ts';
import { startThreadHand } from '../../src/hand-thread.ts';
import type { WorkResult } from '../../src/pipeline/work-on-session.ts';
import { loadSegments, loadSessionFiles } from '../../src/store/queries/archive.ts';
import { markAllUnparsed, markUnparsed } from '../../src/store/queries/session-state.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { NOW, PROGRAMS, silentLog } from '../support/programs.ts';

const ids = Array.from({ length: 12 }, (_, n) => `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`);
const [FIRST = '', SECOND = ''] = ids;

/** Sessions with words of their own, and two answers that all of them share. */
function writeSessions(home: ClaudeHome): void {
  for (const id of ids) {
    const talk = createTalk(id, { prefix: id.slice(6, 8) });
    home.write(`-home-ada-shop/${id}.jsonl`, [
      talk.user(`What does till ${id} say?`),
      talk.assistant('msg_shared', text('It is asked.'), { input: 3, output: 2 }),
      talk.assistant('msg_shared', text('It says nothing.'), { input: 3, output: 7 }),
      talk.assistant(`msg_${id}`, text('It counts again.'), { input: 5, output: 11 }),
    ]);
  }
}

async function dumpAll(app: App): Promise<string> {
  const { engine } = app.store;
  const places = await engine.kysely
    .selectFrom('search_documents')
    .select(['session_id', 'message_id', 'block_order', 'kind', 'chars'])
    .execute();
  return [await dumpStore(engine), ...places.map((place) => JSON.stringify(place)).toSorted()].join('\n');
}

describe.each(PROGRAMS)('a thread that helps, on $name', ({ create }) => {
  it('F3: leaves the store that one thread alone leaves, and nothing is done twice', async () => {
    using home = createClaudeHome();
    writeSessions(home);
    await using program = await create(home.path);
    await using app = await program.open();
    const { kysely } = app.store.engine;
    const all = { sessions_parsed: ids.length, sessions_indexed: ids.length, failed: [] };
    expect(await app.importNew({ helpFromBytes: 0 })).toMatchObject(all);
    const claims = await kysely.selectFrom('sessions').select('claim_token').distinct().execute();
    expect(claims, 'to parse, correlate, summarise and index').toEqual([{ claim_token: 4 }]);
    const together = await dumpAll(app);
    expect(together).toContain('It counts again.');
    await markAllUnparsed(kysely);
    expect(await app.importNew()).toMatchObject(all);
    expect(await dumpAll(app)).toBe(together);
  });

  it('does what it is told, and says what it could not do', async () => {
    using home = createClaudeHome();
    writeSessions(home);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { engine } = app.store;
    await markUnparsed(engine.kysely, [FIRST, SECOND], NOW.toISOString());
    const [file] = await loadSessionFiles(engine.kysely, SECOND);
    const [segment] = await loadSegments(engine.kysely, file?.id ?? '', file?.generation ?? 0);
    await app.blobs.delete(segment?.sha256 ?? '');

    const { signal } = new AbortController();
    await using hand = await startThreadHand({ config: program.config, signal, log: silentLog });
    expect(await hand.one('parse', FIRST)).toEqual({ sessionId: FIRST, outcome: 'done' });
    expect(await hand.one('parse', FIRST)).toBeNull();
    const failed = await hand.one('parse', SECOND);
    expect(failed).toEqual({ sessionId: SECOND, outcome: 'failed', error: expect.any(FuelError) });
    expect(failed).toMatchObject({ error: { code: 'blob_missing' } });
    const indexed: WorkResult[] = [];
    await hand.index((result) => indexed.push(result));
    expect(indexed).toEqual([{ sessionId: FIRST, outcome: 'done' }]);
  });

  it('F4: that cannot open the store says so, for whoever waits until it is back', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const config = { ...program.config, databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing' };
    const { signal } = new AbortController();
    const started = startThreadHand({ config, signal, log: silentLog });
    await expect(started).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('leaves when the program is to end', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const stop = new AbortController();
    const hand = await startThreadHand({ config: program.config, signal: stop.signal, log: silentLog });
    stop.abort();
    expect(await hand.one('parse', FIRST), 'not carried out').toBeNull();
    await hand[Symbol.asyncDispose]();
    await hand.index(() => {});
  });
});
