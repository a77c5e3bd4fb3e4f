import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/stores.ts';

describe.each(STORES.filter(({ name }) => name === 'SQLite'))('messages of a sub-agent on $name', ({ open }) => {
  // Regression: a page of 2,000 sub-agents read all messages of the session for each of them.
  it('are found by a separate index', async () => {
    await using store = await open();
    const { rows } = await sql<{ detail: string }>`
      EXPLAIN QUERY PLAN
      SELECT m.* FROM transcript_messages AS m
      INNER JOIN sessions AS s ON s.id = m.session_id AND s.revision = m.revision
      WHERE m.session_id = 'x' AND m.ordinal > 0 AND (m.agent_id IN ('a'))
      ORDER BY m.ordinal LIMIT 51`.execute(store.engine.kysely);
    const plan = rows.map(({ detail }) => detail).join('\n');
    expect(plan).toContain('messages_by_agent (session_id=? AND revision=? AND agent_id=? AND ordinal>?)');
    expect(plan).not.toContain('TEMP B-TREE');
  });
});
