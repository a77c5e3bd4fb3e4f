import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { annotate } from '../../src/app/commands.ts';
import type { App } from '../../src/app/open-app.ts';
import type { Engine } from '../../src/store/engine.ts';
import { MIGRATIONS } from '../../src/store/migrations/all.ts';
import { readBoundDevice } from '../../src/store/queries/devices/device-tokens.ts';
import { addNote, listNotes, listTags, pinSession, tagSession } from '../../src/store/queries/people/annotations.ts';
import { listShares } from '../../src/store/queries/people/shares.ts';
import { findSession } from '../../src/store/queries/sessions/session-rows.ts';
import { PARSER_VERSION } from '../../src/transcript/parser-version.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpRows } from '../support/dump-rows.ts';
import { returnToFirstRelease } from '../support/first-release.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const RAW_GONE = '99999999-1111-4111-8111-111111111111';
const AT = NOW.toISOString();
const REPARSED = [
  'sessions',
  'transcript_messages',
  'content_blocks',
  'tool_calls',
  'turns',
  'usage_rollups',
  'skills',
];
const KEPT = ['session_tags', 'session_notes', 'session_pins', 'source_files', 'generations', 'segments', 'blobs'];

function linesOf(id: string): readonly object[] {
  const talk = createTalk(id);
  return [
    talk.user('Mend the till.'),
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'npm test' }), { input: 1_000, output: 100 }),
    talk.result('toolu_1', '3 passed'),
    talk.assistant('msg_2', text('Mended.'), { input: 1_200, output: 50 }),
  ];
}

async function annotateAll(app: App): Promise<void> {
  await annotate(app, (tx) => tagSession(tx, { session: ID, mode: 'add', tags: ['till'] }, AT));
  await annotate(app, (tx) => addNote(tx, { session: ID, id: 'note-1', text: 'Ask Ada.' }, AT));
  await annotate(app, (tx) => pinSession(tx, ID, true, AT));
}

const run = (engine: Engine, statement: string) => sql.raw(statement).execute(engine.kysely);

/** Rows that an import without hooks, git or a server does not write; and a parse by the older parser. */
async function addRowsOfFirstRelease(engine: Engine): Promise<void> {
  const { id: device } = await engine.kysely.selectFrom('devices').select('id').executeTakeFirstOrThrow();
  const { workspace_id } = await engine.kysely.selectFrom('sessions').select('workspace_id').executeTakeFirstOrThrow();
  for (const statement of [
    "UPDATE sessions SET parser_version = 5, transcript_s3_key = 'transcripts/1', title = 'As 0.1 called it'",
    "UPDATE devices SET name = 'laptop', status = 'online'",
    'UPDATE workspace_devices SET hooks_installed = TRUE, git_hooks_prompted = TRUE',
    `INSERT INTO events (id, type, timestamp, device_id, workspace_id, session_id, blob_refs, ingested_at)
      VALUES ('event-1', 'session.compact', '${AT}', '${device}', '${workspace_id}', '${ID}', '["a"]', '${AT}')`,
    `INSERT INTO git_activity (id, workspace_id, device_id, session_id, type, linked_by, timestamp, created_at)
      VALUES ('git-1', '${workspace_id}', '${device}', '${ID}', 'push', 'call', '${AT}', '${AT}')`,
    `INSERT INTO device_tokens (id, name, sha256, is_write_only, created_at) VALUES
      ('token-1', 'laptop', 'a', TRUE, '${AT}'), ('token-2', 'nobody', 'b', FALSE, '${AT}')`,
    `INSERT INTO shares (id, session_id, token_sha256, state, title, created_at, expires_at)
      VALUES ('share-1', '${ID}', 'c', 'ready', 'The till', '${AT}', '2099-01-01T00:00:00.000Z')`,
    `INSERT INTO sessions (id, workspace_id, device_id, lifecycle, parse_status, started_at, title, captured_version,
      parsed_version, parser_version, revision, rows_version, created_at, updated_at) VALUES ('${RAW_GONE}',
      '${workspace_id}', '${device}', 'parsed', 'completed', '${AT}', 'Its archive is gone', 1, 1, 5, 1, 1, '${AT}', '${AT}')`,
    `INSERT INTO transcript_messages (session_id, revision, ordinal, id, line_number, message_type, role, origin, raw_message)
      VALUES ('${RAW_GONE}', 1, 0, 'm-1', 1, 'user', 'user', 'human', '{}')`,
  ]) {
    await run(engine, statement);
  }
}

const sessionOf = ({ kysely }: Engine, id: string) =>
  kysely.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The rows of a parse, except those of the session that cannot be parsed. */
async function withoutOld(engine: Engine, tables: readonly string[]): Promise<readonly string[]> {
  return (await dumpRows(engine, tables)).filter((row) => !row.includes(RAW_GONE));
}

describe.each(PROGRAMS)('a filled database of fuel-code 0.1, on $name', ({ create }) => {
  it('is upgraded and reparsed, and keeps what people wrote', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    home.write(`-w/${ID}.jsonl`, linesOf(ID));
    const { parsed, kept } = await (async () => {
      await using app = await program.open();
      await app.importNew();
      await annotateAll(app);
      const { engine } = app.store;
      return { parsed: await withoutOld(engine, REPARSED), kept: await dumpRows(engine, KEPT) };
    })();
    await returnToFirstRelease(program.config, addRowsOfFirstRelease);

    await using app = await program.open();
    const { engine } = app.store;
    const { rows: versions } = await sql<{
      version: number;
    }>`SELECT version FROM schema_migrations ORDER BY version`.execute(engine.kysely);
    expect(versions.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    expect(await app.get('/sessions/:id', { params: { id: ID } }), 'readable before it is parsed again').toMatchObject({
      title: 'As 0.1 called it',
    });

    await app.importNew();
    expect(await dumpRows(engine, KEPT)).toEqual(kept);
    expect(await withoutOld(engine, REPARSED)).toEqual(parsed);
    expect(await sessionOf(engine, ID)).toMatchObject({ parser_version: PARSER_VERSION });
    expect(await sessionOf(engine, RAW_GONE), 'cannot be parsed, and stays as it was').toMatchObject({
      title: 'Its archive is gone',
      revision: 1,
      parse_error: expect.stringContaining('The archive has no files of this session'),
    });
    expect(await listTags(engine.kysely, ID)).toEqual(['till']);
    expect(await listNotes(engine.kysely, ID)).toMatchObject([{ text: 'Ask Ada.' }]);
    expect((await findSession(engine.kysely, ID)).is_pinned).toBe(true);
    expect(await listShares(engine.kysely, AT)).toMatchObject([{ id: 'share-1', session_id: ID }]);
    expect((await app.get('/sessions/:id/events', { params: { id: ID }, query: { limit: 10 } })).events).toMatchObject([
      { id: 'event-1' },
    ]);
    const device = app.device.id;
    expect(await readBoundDevice(engine.kysely, 'token-1'), 'the token that has the name of one device').toBe(device);
    expect(await readBoundDevice(engine.kysely, 'token-2')).toBeNull();
  });
});
