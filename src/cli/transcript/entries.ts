import type { MessageRow } from '../../api/answers/transcript.ts';

/** What stands together on the page. */
export type Entry =
  | { readonly kind: 'prompt'; readonly message: MessageRow }
  | { readonly kind: 'compaction'; readonly message: MessageRow }
  /** What the model said and did in one go, with the results and remarks in between. */
  | { readonly kind: 'work'; readonly messages: readonly MessageRow[] };

const PROMPTS: ReadonlySet<string> = new Set(['human', 'queued', 'command', 'bash_input', 'agent_prompt', 'teammate']);
const BOUNDARIES: ReadonlySet<string | null> = new Set(['compact_boundary', 'microcompact_boundary']);

/** Messages as they come, put together; no more of them are held than stand together. */
export async function* entriesOf(messages: AsyncIterable<MessageRow>): AsyncGenerator<Entry> {
  let work: MessageRow[] = [];
  for await (const message of messages) {
    const kind = kindOf(message);
    if (kind === 'work') {
      work.push(message);
      continue;
    }
    if (work.length > 0) yield { kind: 'work', messages: work };
    work = [];
    yield { kind, message };
  }
  if (work.length > 0) yield { kind: 'work', messages: work };
}

function kindOf({ origin, message_type, subtype }: MessageRow): Entry['kind'] {
  if (PROMPTS.has(origin)) return 'prompt';
  return message_type === 'system' && BOUNDARIES.has(subtype) ? 'compaction' : 'work';
}
