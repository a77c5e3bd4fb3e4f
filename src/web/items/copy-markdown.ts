import type { MarkdownOfRange } from '../../api/find.ts';
import { CLIENTS } from '../api/client.ts';
import { showToast } from '../shell/toasts.ts';
import { copyText } from './copy-text.ts';
import type { ItemContext } from './item-context.ts';

/** Part of one conversation. */
export interface MessageRange {
  /** Positions of the first and the last message. */
  readonly from: number;
  readonly to: number;
  /** The sub-agent; null for the main conversation. */
  readonly agentId: string | null;
}

interface CopyOptions {
  readonly isRedacted: boolean;
}

/** Copies parts of the conversation as Markdown, with secrets replaced on request. */
export async function copyMarkdown(
  { base, sessionId }: Pick<ItemContext, 'base' | 'sessionId'>,
  ranges: readonly MessageRange[],
  { isRedacted }: CopyOptions,
): Promise<void> {
  try {
    const texts: string[] = [];
    for (const range of ranges) texts.push(await readMarkdown(base, sessionId, range, isRedacted));
    await copyText(texts.join('\n'), isRedacted ? 'Markdown without secrets' : 'Markdown');
  } catch (error) {
    showToast(error instanceof Error ? error.message : 'Not copied');
  }
}

async function readMarkdown(base: ItemContext['base'], id: string, range: MessageRange, redact: boolean) {
  const texts: string[] = [];
  for (let from: number | null = range.from; from !== null; ) {
    const query = { from, to: range.to, agent_id: range.agentId ?? undefined, redact };
    const page: MarkdownOfRange = await CLIENTS[base].get('/sessions/:id/markdown', { params: { id }, query });
    texts.push(page.text);
    from = page.next_from;
  }
  return texts.join('\n');
}
