import { describe, expect, it } from 'vitest';
import type { Get } from '../api/table.ts';
import { createRedactor } from '../redact/redact.ts';
import { chars } from '../redact/testing/secrets.ts';
import { redactionOf } from './redaction.ts';

const redaction = redactionOf(createRedactor());
const ONLY_NAMED = 'meadow-lantern-77';
const TOKEN = `ghp_${chars(36)}`;

describe('redacted answers', () => {
  it.each(['/search', '/sessions/:id/markdown'])('%s redacts texts before it truncates them', async (path) => {
    const asked: unknown[] = [];
    const get = (async (...call: unknown[]) => void asked.push(call)) as unknown as Get;
    const redacted = redaction.get(get) as unknown as (path: string, input: object) => Promise<unknown>;
    await redacted(path, { query: { limit: 1 } }).catch(() => {});
    expect(asked).toEqual([[path, { query: { limit: 1, redact: true } }]]);
  });

  it.each(['tool_input', 'details', 'data', 'metadata'])('names in %s identify secret values', (column) => {
    const rows = redaction.rows([{ [column]: { api_key: ONLY_NAMED } }]);
    expect(JSON.stringify(rows)).not.toContain(ONLY_NAMED);
  });

  it.each(['title', 'session_title', 'summary'])('%s shows no secret that was capitalized or cut off', (column) => {
    const random = chars(40);
    for (const text of [`G${TOKEN.slice(1)} leaked`, `Use ${random.slice(0, 24)}…`]) {
      const shown = JSON.stringify(redaction.rows({ [column]: text }));
      expect(shown).not.toContain(TOKEN.slice(4, 12));
      expect(shown).not.toContain(random.slice(0, 8));
    }
    expect(redaction.rows({ [column]: 'Use it' })).toEqual({ [column]: 'Use it' });
  });

  it('omits patches, whose lines may split a secret, and keeps ids', () => {
    const row = { id: TOKEN, call: { patch: [{ lines: ['+x'] }], status: 'ok' } };
    expect(redaction.rows(row)).toEqual({ id: TOKEN, call: { patch: null, status: 'ok' } });
  });
});
