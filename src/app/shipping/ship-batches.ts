import type { IngestResults } from '../../api/ingest.ts';
import type { Reply } from './server-client.ts';

/** Small things that wait for the server, many to a request. */
export interface Outbox<T extends { readonly id: string }> {
  /** The next ones, in order; none of those that are settled. */
  find(limit: number): Promise<readonly T[]>;
  send(batch: readonly T[]): Promise<Reply<IngestResults>>;
  /** The server has it; or it does not take it, and says why. */
  settle(item: T, refusal: string | null): Promise<void>;
}

/** The server takes bodies of up to a megabyte. */
const MAX_BATCH_CHARS = 500_000;

/** Sends what waits until nothing does, and gives the reply that stopped it; each thing has its own answer. */
export async function shipBatches<T extends { readonly id: string }>(
  outbox: Outbox<T>,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Extract<Reply<never>, { kind: 'locked' | 'busy' }> | null> {
  for (let isAlone = false; !signal.aborted; ) {
    const batch = cut(await outbox.find(isAlone ? 1 : limit));
    if (batch.length === 0) return null;
    const reply = await outbox.send(batch);
    if (reply.kind === 'busy' || reply.kind === 'locked') return reply;
    if (reply.kind === 'ok') {
      const byId = new Map(reply.body.results.map((result) => [result.id, result]));
      for (const item of batch) await outbox.settle(item, refusalOf(byId.get(item.id)));
      isAlone = false;
    } else if (batch.length > 1) {
      // One of them spoils the batch: find it.
      isAlone = true;
    } else {
      const [item] = batch;
      if (item) await outbox.settle(item, 'reason' in reply ? reply.reason : reply.kind);
    }
  }
  return null;
}

function refusalOf(result: { readonly status: string; readonly reason?: string | undefined } | undefined) {
  if (result === undefined) return 'The server did not report a result.';
  return result.status === 'rejected' ? (result.reason ?? 'The server rejected it.') : null;
}

function cut<T>(items: readonly T[]): readonly T[] {
  let chars = 0;
  const end = items.findIndex((item, at) => {
    chars += JSON.stringify(item).length;
    return at > 0 && chars > MAX_BATCH_CHARS;
  });
  return end === -1 ? items : items.slice(0, end);
}
