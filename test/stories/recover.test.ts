import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { PENDING_REASONS, type PendingReason } from '../../src/domain/pipeline.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

/** How a session gets into each state; only the other process itself can end the state in which it works on the session. */
const STATES: Readonly<Record<Exclude<PendingReason, 'being_worked_on'>, string>> = {
  stuck: `lifecycle = 'ended', parse_status = 'parsing', claim_holder = 'gone', claim_expires_at_ms = 1,
    captured_version = captured_version + 1`,
  failed: `lifecycle = 'failed', parse_status = 'failed', parse_error = 'Broken.', attempts = 5, tried_parser_version = 6,
    captured_version = captured_version + 1`,
  new_bytes: `lifecycle = 'ended', parse_status = 'pending', captured_version = captured_version + 1`,
  outdated_parser: 'parser_version = 5',
  never_ended: `lifecycle = 'capturing', parse_status = 'completed', updated_at = '2026-11-01T00:00:00.000Z'`,
  not_correlated: 'correlated_version = 0',
  not_indexed: 'indexed_version = 0',
};
const NAMES = Object.keys(STATES) as (keyof typeof STATES)[];
const idOf = (index: number) => `${String(index + 1).repeat(8)}-1111-4111-8111-111111111111`;

async function spoil({ store }: App): Promise<void> {
  for (const [index, name] of NAMES.entries()) {
    await sql.raw(`UPDATE sessions SET ${STATES[name]} WHERE id = '${idOf(index)}'`).execute(store.engine.kysely);
  }
}

describe.each(PROGRAMS)('recover on $name', ({ create }) => {
  it('repairs every state that it lists', async () => {
    expect(Object.keys(PENDING_REASONS).toSorted()).toEqual([...NAMES, 'being_worked_on'].toSorted());
    using home = createClaudeHome();
    await using program = await create(home.path);
    for (const index of NAMES.keys()) {
      const talk = createTalk(idOf(index), { prefix: String(index + 1).repeat(4) });
      const lines = [talk.user('Mend it.'), talk.assistant(`msg_${index}`, text('Done.'), { input: 1, output: 1 })];
      home.write(`-w/${idOf(index)}.jsonl`, lines);
    }
    await using app = await program.open();
    await app.importNew();
    await spoil(app);
    const run = async (...words: string[]) => {
      const { out, error } = await runCommand(words, { config: program.config, openApp: () => program.open() });
      return { error, pending: JSON.parse(out).pending as { id: string; reasons: string[] }[] };
    };
    const { pending } = await run('recover', '--dry-run', '--json');
    for (const [index, name] of NAMES.entries()) {
      expect(pending.find(({ id }) => id === idOf(index))?.reasons, name).toContain(name);
    }
    const notes = async (...words: string[]) =>
      (await runCommand(['recover', '--limit', ...words], world)).err.split('\n').slice(-2);
    const world = { config: program.config, openApp: () => program.open() };
    expect(await notes('2', '--dry-run')).toEqual(['Only 2 sessions listed: use -n N.', '']);
    expect(await notes(String(NAMES.length), '--dry-run')).toEqual(['']);
    expect(await notes('1')).toEqual(['Stopped after 1 session: run it again or use -n N.', '']);
    expect(await run('recover', '--json')).toEqual({ error: null, pending: [] });
  });

  it('`session --events` prints whole JSON, however long', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const talk = createTalk(idOf(0));
    home.write(`-w/${idOf(0)}.jsonl`, [talk.user('Mend it.')]);
    await using app = await program.open();
    await app.importNew();
    const data = { source: 'startup', note: 'long '.repeat(2_000).trim(), deep: { list: [1, 2, 3] } };
    const event = { id: 'e-1', type: 'session.start', timestamp: NOW.toISOString(), session_id: idOf(0) };
    await app.store.engine.kysely
      .insertInto('events')
      .values({ ...event, device_id: app.device.id, data: JSON.stringify(data), ingested_at: NOW.toISOString() })
      .execute();
    const world = { config: program.config, openApp: () => program.open(), columns: 40 };
    const { out } = await runCommand(['session', idOf(0), '--events'], world);
    expect(JSON.parse(out.slice(out.indexOf('\n')))).toEqual(data);
    const json = JSON.parse((await runCommand(['session', idOf(0), '--events', '--json'], world)).out);
    expect(json.events).toMatchObject([{ id: 'e-1', data }]);
  });
});
