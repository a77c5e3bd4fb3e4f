import type { MessageRow } from '../api/transcript.ts';
import { TEAM_LEAD, teammateMessages } from '../domain/teammate-message.ts';
import { firstLine, plural } from './format.ts';
import type { Media } from './media.ts';
import type { Branch } from './parts.ts';
import type { ToolCall, ToolResult } from './tool-call.ts';

/** One item of a transcript view. A message of the model becomes one entry per block. */
export type Entry = EntryBase &
  (
    | PromptContent
    | { readonly kind: 'command'; readonly text: string; readonly branch: Branch | null }
    | AnswerContent
    | { readonly kind: 'thinking'; readonly text: string; readonly isCut: boolean }
    | { readonly kind: 'tool'; readonly call: ToolCall }
    /** A result whose call is not part of the view. */
    | { readonly kind: 'result'; readonly result: ToolResult }
    | { readonly kind: 'media'; readonly media: Media }
    /** An API error, an interruption, or text that the client wrote in place of the model. */
    | { readonly kind: 'notice'; readonly text: string; readonly isError: boolean; readonly isInterruption: boolean }
    | { readonly kind: 'compaction'; readonly text: string }
    /** A summary that replaced the conversation so far, or a title saved as one. */
    | { readonly kind: 'summary'; readonly label: string; readonly text: string }
    /** A run of messages that were not typed by a person. */
    | { readonly kind: 'context'; readonly items: readonly ContextItem[] }
    /** A message of the model without visible content; it counts in totals. */
    | { readonly kind: 'empty' }
  );
export type EntryKind = Entry['kind'];
export type EntryOf<K extends EntryKind> = Extract<Entry, { readonly kind: K }>;

export interface EntryBase {
  readonly key: string;
  /** The message in which it starts. */
  readonly message: MessageRow;
  /** Positions of all messages that it shows, including the one with the result of a tool. */
  readonly ordinals: readonly number[];
}

/** The place of an entry in the outline: its message, and its block or -1. */
export function placeOf({ key, message }: EntryBase): { readonly ordinal: number; readonly block: number } {
  const block = key === message.id ? -1 : Number(key.slice(message.id.length + 1));
  return { ordinal: message.ordinal, block };
}

interface PromptContent {
  readonly kind: 'prompt';
  readonly speaker: string;
  readonly text: string;
  readonly media: readonly Media[];
  /** Text that the client, an editor or a hook added. */
  readonly injected: readonly { readonly label: string; readonly text: string }[];
  readonly branch: Branch | null;
}

interface AnswerContent {
  readonly kind: 'answer';
  readonly text: string;
  readonly isCut: boolean;
  /** True after a prompt, and when another model takes over. */
  readonly isNewSpeaker: boolean;
}

export interface ContextItem {
  readonly message: MessageRow;
  readonly label: string;
  readonly text: string;
  /** The same text, or a short form if the full text is meant for the model. */
  readonly brief: string;
  readonly isAttachment: boolean;
  /** Relevant only for the client and the model. */
  readonly isInternal: boolean;
}

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['queued', 'You (while it was working)'],
  ['agent_prompt', 'Task'],
]);

/** Whether an agent wrote a prompt of this origin: it is Markdown then, and does not have the color of a person. */
export function isFromAgent(origin: string): boolean {
  return origin === 'teammate' || origin === 'agent_prompt';
}

/** The author of a prompt. */
export function speakerOf({ origin }: MessageRow, text: string): string {
  return origin === 'teammate' ? teammateNames(text) : (SPEAKERS.get(origin) ?? 'You');
}

/** `Teammate ada`; the client calls the one who started the team its lead. */
function teammateNames(text: string): string {
  const senders = teammateMessages(text).flatMap(({ sender, isProtocol }) => (isProtocol ? [] : [sender]));
  const names = [...new Set(senders)].filter((name) => name !== '' && name !== TEAM_LEAD);
  if (names.length > 0) return `Teammate ${names.join(', ')}`;
  return senders.includes(TEAM_LEAD) ? 'Team lead' : 'Teammate';
}

const INTERNAL: ReadonlySet<string> = new Set(['meta', 'context']);
const HOOK_REMARKS: ReadonlySet<string | null> = new Set(['hook_non_blocking_error', 'hook_system_message']);

export function isInternal({ origin, subtype }: MessageRow): boolean {
  return INTERNAL.has(origin) && !HOOK_REMARKS.has(subtype);
}

const MAX_TEASER_CHARS = 120;

/** The first line of a single message, or the number of messages. */
export function contextAbout(items: readonly Pick<ContextItem, 'brief'>[]): string {
  const [only] = items.length === 1 ? items : [];
  return only === undefined ? plural(items.length, 'message') : firstLine(only.brief, MAX_TEASER_CHARS);
}

const MAX_LABELS = 4;

/** Names of the messages in a run: `environment, date and 2 more`. */
export function contextLabel(items: readonly Pick<ContextItem, 'label'>[]): string {
  const labels = [...new Set(items.map(({ label }) => label))];
  const more = labels.length > MAX_LABELS ? ` and ${labels.length - MAX_LABELS} more` : '';
  return labels.slice(0, MAX_LABELS).join(', ') + more;
}
