import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { FuelError } from '../../domain/errors.ts';
import type { BatchStatus } from '../../api/sessions.ts';
import type { Derived } from '../source.ts';

const ASK_EVERY_MS = 500;
/** Well below the maximum number of ids per request. */
const IDS_AT_ONCE = 1_000;

/** Waits until the server has reparsed the sessions. Errors: interrupted when aborted; the server continues. */
export async function waitUntilParsed(
  client: Client,
  ids: readonly string[],
  { signal, askEveryMs = ASK_EVERY_MS }: { readonly signal: AbortSignal; readonly askEveryMs?: number },
): Promise<Derived> {
  const done: Status[] = [];
  for (let waiting = ids; waiting.length > 0; ) {
    const session_ids = waiting.slice(0, IDS_AT_ONCE);
    const { statuses } = await client.post('/sessions/batch-status', { body: { session_ids } });
    const open = statuses.filter(isOpen);
    done.push(...statuses.filter((status) => !isOpen(status)));
    waiting = [...open.map(({ id }) => id), ...waiting.slice(IDS_AT_ONCE)];
    if (open.length > 0) await sleep(askEveryMs, undefined, { signal }).catch(stopped);
  }
  const failed = done.filter(({ parse_status }) => parse_status === 'failed');
  return {
    sessions_parsed: done.filter(({ parse_status }) => parse_status === 'completed').length,
    failed: failed.map(({ id, parse_error }) => ({ path: id, error: parse_error ?? '' })),
  };
}

type Status = BatchStatus['statuses'][number];

/** A session without any uploaded bytes has nothing to parse. */
function isOpen({ lifecycle, parse_status }: Status): boolean {
  return lifecycle !== 'detected' && (parse_status === 'pending' || parse_status === 'parsing');
}

function stopped(): never {
  throw new FuelError('interrupted', 'Stopped waiting; the server continues reparsing.');
}
