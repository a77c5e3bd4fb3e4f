import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { FuelError } from '../../domain/errors.ts';
import type { Derived } from '../source.ts';

const ASK_EVERY_MS = 500;
/** As many as one question may name. */
const IDS_AT_ONCE = 10_000;

/** The server derives sessions again in its own time. Errors: busy when stopped; the server goes on. */
export async function waitUntilParsed(client: Client, ids: readonly string[], signal: AbortSignal): Promise<Derived> {
  const failed: { readonly path: string; readonly error: string }[] = [];
  for (let waiting = ids; waiting.length > 0; ) {
    const { statuses } = await client.post('/sessions/batch-status', {
      body: { session_ids: waiting.slice(0, IDS_AT_ONCE) },
    });
    const open = new Set(statuses.filter(({ parse_status }) => isOpen(parse_status)).map(({ id }) => id));
    for (const { id, parse_status, parse_error } of statuses) {
      if (parse_status === 'failed') failed.push({ path: id, error: parse_error ?? '' });
    }
    waiting = [...open, ...waiting.slice(IDS_AT_ONCE)];
    if (open.size > 0) await sleep(ASK_EVERY_MS, undefined, { signal }).catch(stopped);
  }
  return { sessions_parsed: ids.length - failed.length, failed };
}

function isOpen(parseStatus: string): boolean {
  return parseStatus === 'pending' || parseStatus === 'parsing';
}

function stopped(): never {
  throw new FuelError('busy', 'Nobody waits any longer; the server derives the sessions again nevertheless.');
}
