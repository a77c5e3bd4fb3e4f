import { MAX_PAGE_ROWS, type MessageRow } from '../../domain/query.ts';
import type { Part, PartPage } from '../../store/queries/parts.ts';
import type { Questions, ShownPart } from '../source.ts';

/** All messages of a session, fetched page by page. */
export function readWholeTranscript(reads: Questions, sessionId: string): AsyncGenerator<MessageRow> {
  return readPages(reads, sessionId, {});
}

/** The messages of one sub-agent; null is the main conversation. */
export function readThread(reads: Questions, sessionId: string, agentId: string | null): AsyncGenerator<MessageRow> {
  return readPages(reads, sessionId, { agentIds: [agentId] });
}

async function* readPages(
  reads: Questions,
  sessionId: string,
  only: { readonly agentIds?: readonly (string | null)[] },
): AsyncGenerator<MessageRow> {
  let after: number | null = -1;
  while (after !== null) {
    const page = await reads.getTranscript(sessionId, { after, limit: MAX_PAGE_ROWS, ...only });
    yield* page.messages;
    after = page.next_after;
  }
}

/** Every row of one part of a session. */
export async function readAllParts<T extends ShownPart>(
  reads: Questions,
  table: T,
  sessionId: string,
): Promise<Part<T>[]> {
  const all: Part<T>[] = [];
  let after: number | null = -1;
  while (after !== null) {
    const page: PartPage<T> = await reads.listParts(table, sessionId, { after, limit: MAX_PAGE_ROWS });
    all.push(...page.rows);
    after = page.next_after;
  }
  return all;
}
