import { describe, expect, it } from 'vitest';
import {
  addNote,
  applyAnnotation,
  editNote,
  listNotes,
  listTags,
  pinSession,
  removeNote,
  tagSession,
} from '../../src/store/queries/people/annotations.ts';
import { findSession } from '../../src/store/queries/sessions/session-rows.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES, type TestStore } from '../support/stores.ts';

const LATER = '2026-11-15T13:00:00.000Z';

async function openWith(open: () => Promise<TestStore>, ids: readonly string[]): Promise<TestStore> {
  const store = await open();
  for (const id of ids) await seedSession(store, id);
  return store;
}

async function columnOf({ engine }: TestStore, id: string): Promise<unknown> {
  const row = await engine.kysely.selectFrom('sessions').select('tags').where('id', '=', id).executeTakeFirstOrThrow();
  return JSON.parse(row.tags);
}

describe.each(STORES)('tags, notes and pins of a session on $name', ({ open }) => {
  it('sets, adds and removes tags, ignoring case', async () => {
    await using store = await openWith(open, ['abc', 'other']);
    const { engine } = store;
    const tag = (mode: 'set' | 'add' | 'remove', ...tags: string[]) =>
      engine.transaction((tx) => tagSession(tx, { session: 'ab', mode, tags }, NOW));
    const now = () => listTags(engine.kysely, 'abc');
    await tag('set', 'Bug', 'c++', 'bug ');
    expect(await now()).toEqual(['bug', 'c++']);
    await tag('add', 'größe', 'area/shop');
    expect(await now()).toEqual(['area/shop', 'bug', 'c++', 'größe']);
    await tag('remove', 'BUG', 'nobody');
    expect(await now()).toEqual(['area/shop', 'c++', 'größe']);
    expect(await tag('set', 'one')).toEqual({ at: NOW, sessionId: 'abc', what: 'tagged', tags: ['one'] });
    expect(await now()).toEqual(['one']);
    expect(await columnOf(store, 'abc'), 'the session itself repeats them').toEqual(['one']);
    expect(await listTags(engine.kysely, 'other')).toEqual([]);
    await tag('set');
    expect(await now()).toEqual([]);
  });

  it('rejects an invalid tag, note or session with a message and changes nothing', async () => {
    await using store = await openWith(open, ['abc', 'abd']);
    const { engine } = store;
    const tag = (session: string, ...tags: string[]) =>
      engine.transaction((tx) => tagSession(tx, { session, mode: 'add', tags }, NOW));
    await tag('abc', 'kept');
    for (const bad of ['', 'two words', '-x', '💥', 'a'.repeat(65), 'a\0b', `<b>`]) {
      await expect(tag('abc', 'good', bad), JSON.stringify(bad)).rejects.toMatchObject({ code: 'usage' });
    }
    const many = Array.from({ length: 51 }, (_, n) => `t${n}`);
    await expect(tag('abc', ...many)).rejects.toMatchObject({ code: 'usage' });
    await expect(tag('ab', 'x')).rejects.toMatchObject({ code: 'ambiguous' });
    await expect(tag('zzz', 'x')).rejects.toMatchObject({ code: 'not_found' });
    expect(await listTags(engine.kysely, 'abc')).toEqual(['kept']);
    const note = (text: string) => engine.transaction((tx) => addNote(tx, { session: 'abc', id: 'n1', text }, NOW));
    await expect(note('  \n ')).rejects.toMatchObject({ code: 'usage' });
    await expect(note('x'.repeat(20_001))).rejects.toMatchObject({ code: 'too_large' });
    expect(await listNotes(engine.kysely, 'abc')).toEqual([]);
    await expect(engine.transaction((tx) => editNote(tx, 'n1', 'x', NOW))).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.transaction((tx) => removeNote(tx, 'n1', NOW))).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.transaction((tx) => pinSession(tx, 'zz', true, NOW))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('finds a note by a prefix of its id, edits and removes it, and keeps any text unchanged', async () => {
    await using store = await openWith(open, ['abc']);
    const { engine } = store;
    const { kysely } = engine;
    const add = (id: string, text: string, at = NOW) =>
      engine.transaction((tx) => addNote(tx, { session: 'abc', id, text }, at));
    await add('note-1', '  See https://example.org <script> ');
    await add('note-2', 'nul \0 and \ud800 are made visible', LATER);
    expect(await listNotes(kysely, 'abc')).toEqual([
      { id: 'note-1', text: 'See https://example.org <script>', created_at: NOW, updated_at: NOW },
      { id: 'note-2', text: 'nul ␀ and � are made visible', created_at: LATER, updated_at: LATER },
    ]);
    await expect(engine.transaction((tx) => editNote(tx, 'note', 'x', LATER))).rejects.toMatchObject({
      code: 'ambiguous',
    });
    await engine.transaction((tx) => editNote(tx, 'note-1', 'changed', LATER));
    await engine.transaction((tx) => removeNote(tx, 'note-2', LATER));
    await expect(engine.transaction((tx) => removeNote(tx, '', LATER))).rejects.toThrow('The note id is empty.');
    expect(await listNotes(kysely, 'abc')).toEqual([
      { id: 'note-1', text: 'changed', created_at: NOW, updated_at: LATER },
    ]);
  });

  it('pins a session, and repeating a change has no effect', async () => {
    await using store = await openWith(open, ['abc']);
    const { engine } = store;
    const pinned = await engine.transaction((tx) => pinSession(tx, 'abc', true, NOW));
    const tagged = await engine.transaction((tx) => tagSession(tx, { session: 'abc', mode: 'add', tags: ['a'] }, NOW));
    const noted = await engine.transaction((tx) => addNote(tx, { session: 'abc', id: 'n', text: 'x' }, NOW));
    for (const annotation of [pinned, tagged, noted, noted, tagged, pinned]) {
      await engine.transaction((tx) => applyAnnotation(tx, annotation));
    }
    expect((await findSession(engine.kysely, 'abc')).is_pinned).toBe(true);
    expect(await listTags(engine.kysely, 'abc')).toEqual(['a']);
    expect(await listNotes(engine.kysely, 'abc')).toHaveLength(1);
    await engine.transaction((tx) => pinSession(tx, 'abc', false, LATER));
    expect((await findSession(engine.kysely, 'abc')).is_pinned).toBe(false);
  });
});
