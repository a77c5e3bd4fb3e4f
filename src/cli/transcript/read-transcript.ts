import type { MessageRow } from '../../domain/query.ts';
import type { Reads } from '../../server/reads.ts';
import type { Part, PartName, PartPage } from '../../store/queries/parts.ts';

const PAGE_ROWS = 500;

/** All messages of a session, fetched page by page. */
export function readWholeTranscript(reads: Reads, sessionId: string): AsyncGenerator<MessageRow> {
  return readPages(reads, sessionId, {});
}

/** The messages of one sub-agent; null is the main conversation. */
export function readThread(reads: Reads, sessionId: string, agentId: string | null): AsyncGenerator<MessageRow> {
  return readPages(reads, sessionId, { agentIds: [agentId] });
}

async function* readPages(
  reads: Reads,
  sessionId: string,
  only: { readonly agentIds?: readonly (string | null)[] },
): AsyncGenerator<MessageRow> {
  let after: number | null = -1;
  while (after !== null) {
    const page = await reads.getTranscript(sessionId, { after, limit: PAGE_ROWS, ...only });
    yield* page.messages;
    after = page.next_after;
  }
}

/** Every row of one part of a session. */
export async function readAllParts<T extends PartName>(reads: Reads, table: T, sessionId: string): Promise<Part<T>[]> {
  const all: Part<T>[] = [];
  let after: number | null = -1;
  while (after !== null) {
    const page: PartPage<T> = await reads.listParts(table, sessionId, { after, limit: PAGE_ROWS });
    all.push(...page.rows);
    after = page.next_after;
  }
  return all;
}
