import { describe, expect, it } from 'vitest';
import { annotate } from '../../src/app/commands.ts';
import { reparse } from '../../src/app/maintain.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { addNote, pinSession, removeNote, tagSession } from '../../src/store/queries/people/annotations.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { loseDatabase } from '../support/lose-database.ts';
import { fixedClock, NOW, PROGRAMS, silentLog } from '../support/programs.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const at = (minute: number) => new Date(NOW.getTime() + minute * 60_000).toISOString();
const TABLES = ['session_tags', 'session_notes', 'session_pins'];

describe.each(PROGRAMS)('tags, notes and pins on $name', ({ create }) => {
  it('survive a reparse, growth, and the loss of the database', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    let said = '';
    {
      await using app = await program.open();
      const talk = createTalk(ID);
      home.write(`-w/${ID}.jsonl`, [talk.user('One.')]);
      await app.importNew();
      await annotate(app, (tx) => tagSession(tx, { session: ID, mode: 'set', tags: ['gone', 'bug'] }, at(1)));
      await annotate(app, (tx) => tagSession(tx, { session: ID, mode: 'remove', tags: ['gone'] }, at(2)));
      await annotate(app, (tx) => addNote(tx, { session: ID, id: 'n1', text: 'Look here.' }, at(3)));
      await annotate(app, (tx) => addNote(tx, { session: ID, id: 'n2', text: 'Not here.' }, at(4)));
      await annotate(app, (tx) => removeNote(tx, 'n2', at(5)));
      await annotate(app, (tx) => pinSession(tx, ID, true, at(6)));
      said = await dumpStore(app.store.engine, TABLES);
      expect(said).toContain('"tag":"bug"');
      expect(said).toContain('Look here.');
      home.append(`-w/${ID}.jsonl`, [talk.user('Two.')]);
      await app.importNew();
      await reparse(app, 'all', NOW.toISOString(), { signal: new AbortController().signal, onProgress: () => {} });
      expect(await dumpStore(app.store.engine, TABLES)).toBe(said);
      await loseDatabase(app);
    }
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    await using app = await program.open();
    expect(await dumpStore(app.store.engine, TABLES)).toBe(said);
    const { sessions } = await app.get('/sessions', { query: { limit: 50 } });
    expect(sessions).toMatchObject([{ id: ID, tags: ['bug'], user_messages: 2 }]);
  });

  it('are written to the journal first: if that fails, nothing is stored', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    await app.importNew();
    const journal = { ...app.journal, append: () => Promise.reject(new Error('the disk is full')) };
    const tag = annotate({ store: app.store, journal }, (tx) =>
      tagSession(tx, { session: ID, mode: 'set', tags: ['bug'] }, at(1)),
    );
    await expect(tag).rejects.toThrow('the disk is full');
    expect((await app.get('/sessions', { query: { limit: 50 } })).sessions).toMatchObject([{ tags: [] }]);
  });
});
