import type { MessageRow } from '../../domain/query.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { commandText, outputText } from '../../domain/client-tags.ts';
import { firstLine, formatClock, formatCompact, formatExact, plural } from '../text/format.ts';
import { Markdown } from '../text/markdown-view.tsx';
import { CollapsibleText } from './collapsible-text.tsx';
import { Disclosure } from './disclosure.tsx';
import { textOf } from './message-text.ts';

export function CommandView({ message }: { readonly message: MessageRow }) {
  return (
    <p className="command">
      <code>{commandText(textOf(message))}</code>
      <time className="clock" dateTime={message.timestamp ?? undefined} title={formatExact(message.timestamp)}>
        {formatClock(message.timestamp)}
      </time>
    </p>
  );
}

/** Errors of the API, interruptions, and what the client says in the model's place. */
export function NoticeView({ message }: { readonly message: MessageRow }) {
  const isError =
    message.subtype === 'api_error' ||
    message.metadata['error'] !== undefined ||
    message.metadata['apiErrorStatus'] !== undefined;
  return (
    <p className={isError ? 'notice notice-error' : 'notice'} dir="auto">
      {noticeText(message)}
    </p>
  );
}

function noticeText(message: MessageRow): string {
  const text = textOf(message);
  if (text !== '') return text.replace(/^\[(.*)\]$/s, '$1');
  const { retryAttempt, maxRetries } = message.metadata;
  if (typeof retryAttempt !== 'number') return 'The API answered with an error.';
  return `The API answered with an error; attempt ${retryAttempt} of ${typeof maxRetries === 'number' ? maxRetries : '?'} followed.`;
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: JsonValue })[name];
}

/** Where the conversation was replaced by a summary: the model saw nothing above this line any more. */
export function CompactionView({ message }: { readonly message: MessageRow }) {
  const metadata = message.metadata['compactMetadata'];
  const before = field(metadata, 'preTokens');
  const after = field(metadata, 'postTokens');
  const tokens = typeof before === 'number' ? ` · ${formatCompact(before)} tokens` : '';
  const left = typeof after === 'number' ? ` → ${formatCompact(after)}` : '';
  const trigger = field(metadata, 'trigger') === 'manual' ? 'by /compact' : 'automatically';
  return (
    <div className="compaction" role="separator" aria-label="Conversation compacted">
      <span>
        Conversation compacted {trigger}
        {tokens}
        {left}
      </span>
    </div>
  );
}

interface OpenableProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function SummaryView({ message, isOpen, onToggle }: OpenableProps & { readonly message: MessageRow }) {
  return (
    <div className="muted-block">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span>Summary that the model went on with</span>}>
        <Markdown text={textOf(message)} />
      </Disclosure>
    </div>
  );
}

const ORIGIN_LABELS: ReadonlyMap<string, string> = new Map([
  ['meta', 'note to the model'],
  ['command_output', 'command output'],
  ['bash_output', 'shell output'],
  ['task_notification', 'background task finished'],
  ['teammate', 'message of a teammate'],
  ['context', 'context'],
  ['system', 'system'],
]);

function labelOf(message: MessageRow): string {
  return (
    message.subtype?.replaceAll('_', ' ') ?? ORIGIN_LABELS.get(message.origin) ?? message.origin.replaceAll('_', ' ')
  );
}

const MAX_LABELS = 4;
const MAX_TEASER_CHARS = 120;

/** A run of messages that nobody typed: one muted line that opens. */
export function ContextView({
  messages,
  isOpen,
  onToggle,
}: OpenableProps & { readonly messages: readonly MessageRow[] }) {
  const labels = [...new Set(messages.map(labelOf))];
  const more = labels.length > MAX_LABELS ? ` and ${labels.length - MAX_LABELS} more` : '';
  const only = messages.length === 1 ? messages[0] : undefined;
  const teaser = only === undefined ? '' : firstLine(outputText(textOf(only)), MAX_TEASER_CHARS);
  return (
    <div className="muted-block">
      <Disclosure
        isOpen={isOpen}
        onToggle={onToggle}
        label={<span>{labels.slice(0, MAX_LABELS).join(', ') + more}</span>}
        detail={<bdi className="tool-summary">{teaser}</bdi>}
        mark={messages.length > 1 ? plural(messages.length, 'message') : null}
      >
        {messages.map((message) => (
          <ContextMessage key={message.id} message={message} />
        ))}
      </Disclosure>
    </div>
  );
}

function ContextMessage({ message }: { readonly message: MessageRow }) {
  const text = outputText(textOf(message));
  const metadata = Object.keys(message.metadata).length === 0 ? '' : JSON.stringify(message.metadata, null, 2);
  return (
    <div className="context-message">
      <p className="muted">{labelOf(message)}</p>
      {text !== '' && <CollapsibleText text={text} />}
      {text === '' && metadata !== '' && <CollapsibleText text={metadata} />}
    </div>
  );
}
