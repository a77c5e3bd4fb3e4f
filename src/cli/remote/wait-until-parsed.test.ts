import { describe, expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import type { BatchStatus } from '../../api/sessions.ts';
import { waitUntilParsed } from './wait-until-parsed.ts';

type Status = BatchStatus['statuses'][number];

const never = new AbortController().signal;
const status = (id: string, parse_status: Status['parse_status'], more: Partial<Status> = {}): Status => ({
  id,
  lifecycle: 'ended',
  parse_status,
  parse_error: null,
  ...more,
});

/** A server that returns a status per session and request number, and records the number of ids in each request. */
function serverOf(say: (id: string, nth: number) => Status) {
  const asked: number[] = [];
  const transport = (_: string, { body }: RequestInit) => {
    const { session_ids } = JSON.parse(body as string) as { session_ids: string[] };
    asked.push(session_ids.length);
    const statuses = session_ids.map((id) => say(id, asked.length));
    return Response.json({ statuses, not_found: [] } satisfies BatchStatus);
  };
  return { client: createClient({ origin: '', token: () => null, transport }), asked };
}

describe('waiting for a server to reparse sessions', () => {
  test('polls only the sessions that are not finished, until none is left', async () => {
    const { client, asked } = serverOf((id, nth) =>
      status(id, id === 'slow' && nth < 3 ? (nth === 1 ? 'pending' : 'parsing') : 'completed'),
    );
    const derived = await waitUntilParsed(client, ['slow', 'quick'], { signal: never, askEveryMs: 1 });
    expect(derived).toEqual({ sessions_parsed: 2, failed: [] });
    expect(asked).toEqual([2, 1, 1]);
  });

  test('lists failed sessions and does not wait for sessions without data', async () => {
    const { client } = serverOf((id) =>
      id === 'broken' ? status(id, 'failed', { parse_error: 'no' }) : status(id, 'pending', { lifecycle: 'detected' }),
    );
    const derived = await waitUntilParsed(client, ['broken', 'empty'], { signal: never, askEveryMs: 1 });
    expect(derived).toEqual({ sessions_parsed: 0, failed: [{ path: 'broken', error: 'no' }] });
  });

  test('polls any number of sessions in batches', async () => {
    const ids = Array.from({ length: 2_500 }, (_, at) => `session-${at}`);
    const { client, asked } = serverOf((id, nth) => status(id, nth === 1 ? 'pending' : 'completed'));
    const { sessions_parsed } = await waitUntilParsed(client, ids, { signal: never, askEveryMs: 1 });
    expect(sessions_parsed).toBe(ids.length);
    expect(Math.max(...asked)).toBeLessThanOrEqual(1_000);
  });

  test('stops when aborted', async () => {
    const { client } = serverOf((id) => status(id, 'pending'));
    const signal = AbortSignal.abort();
    await expect(waitUntilParsed(client, ['x'], { signal })).rejects.toMatchObject({ code: 'interrupted' });
  });
});
