import { type BlockRow, MAX_PAGE_ROWS, type MessageRow } from '../../domain/query.ts';
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
    for (const message of page.messages) yield isCut(message) ? await readFull(reads, sessionId, message) : message;
    after = page.next_after;
  }
}

function isCut({ content_blocks }: MessageRow): boolean {
  return content_blocks.some(({ metadata }) => metadata['truncated'] === true);
}

/** The message with its long texts whole; one that is longer than a row may hold ends with a note. */
async function readFull(reads: Questions, sessionId: string, message: MessageRow): Promise<MessageRow> {
  const page = await reads.getTranscript(sessionId, { after: message.ordinal - 1, limit: 1, full: true });
  const [full = message] = page.messages.filter(({ id }) => id === message.id);
  return isCut(full) ? { ...full, content_blocks: full.content_blocks.map(withNote) } : full;
}

function withNote(block: BlockRow): BlockRow {
  if (block.metadata['truncated'] !== true) return block;
  const note = '\n[This text is too long and was cut here. `fuel-code session <id> --export` writes the whole text.]';
  const noted = (text: string | null) => (text === null ? null : text + note);
  return {
    ...block,
    content_text: noted(block.content_text),
    thinking_text: noted(block.thinking_text),
    result_text: noted(block.result_text),
  };
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
