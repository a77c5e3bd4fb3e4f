import type { BlockRow, MessageRow, TranscriptPage } from '../../api/transcript.ts';
import type { AnswerOf } from '../../api/endpoint.ts';
import type { Api } from '../../api/table.ts';
import { MAX_PAGE_ROWS } from '../../domain/requests.ts';
import type { Source } from '../source.ts';

type Reader = Pick<Source, 'get'>;

/** All messages of a session. */
export function readWholeTranscript(source: Reader, sessionId: string): AsyncGenerator<MessageRow> {
  return readPages(source, sessionId, {});
}

/** The messages of one sub-agent; null is the main conversation. */
export function readThread(source: Reader, sessionId: string, agentId: string | null): AsyncGenerator<MessageRow> {
  return readPages(source, sessionId, { agent_id: [agentId ?? 'main'] });
}

async function* readPages(
  source: Reader,
  sessionId: string,
  only: { readonly agent_id?: readonly string[] },
): AsyncGenerator<MessageRow> {
  let after: number | null = -1;
  while (after !== null) {
    const query = { after, limit: MAX_PAGE_ROWS, ...only };
    const page: TranscriptPage = await source.get('/sessions/:id/transcript', { params: { id: sessionId }, query });
    for (const message of page.messages) yield isCut(message) ? await readFull(source, sessionId, message) : message;
    after = page.next_after;
  }
}

function isCut({ content_blocks }: MessageRow): boolean {
  return content_blocks.some(({ metadata }) => metadata['truncated'] === true);
}

/** Loads the full text of a message; text that exceeds the limit of a row gets a note. */
async function readFull(source: Reader, sessionId: string, message: MessageRow): Promise<MessageRow> {
  const query = { after: message.ordinal - 1, limit: 1, full: true };
  const page = await source.get('/sessions/:id/transcript', { params: { id: sessionId }, query });
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

/** Paths of lists within a session: each page has its rows under its own key, and `next_after`. */
type PartPath =
  `/sessions/:id/${'branches' | 'compactions' | 'tool-calls' | 'subagents' | 'plans' | 'todos' | 'skills' | 'questions' | 'worktrees'}`;
type PageOf<P extends PartPath> = AnswerOf<Api[`GET ${P}`]>;
type RowOf<Page> = Exclude<Page[keyof Page], number | null> extends readonly (infer Row)[] ? Row : never;

/** All rows of such a list. */
export async function readAllParts<P extends PartPath>(
  source: Reader,
  path: P,
  sessionId: string,
): Promise<RowOf<PageOf<P>>[]> {
  const all: RowOf<PageOf<P>>[] = [];
  const get = source.get as (path: P, input: object) => Promise<{ readonly next_after: number | null }>;
  for (let after: number | null = -1; after !== null; ) {
    const query = { after, limit: MAX_PAGE_ROWS };
    const { next_after, ...lists }: { readonly next_after: number | null } = await get(path, {
      params: { id: sessionId },
      query,
    });
    all.push(...(Object.values(lists).flat() as RowOf<PageOf<P>>[]));
    after = next_after;
  }
  return all;
}
