import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { commandText, outputText } from '../../domain/client-tags.ts';
import { formatClock, formatExact, plural } from '../../reading/format.ts';
import { Markdown } from '../text/markdown-view.tsx';
import { CollapsibleText } from './collapsible-text.tsx';
import { Disclosure } from './disclosure.tsx';
import {
  attachmentSize,
  compactionText,
  injectedLabel,
  injectedText,
  isFailure,
  labelOf,
  noticeText,
  teaserOf,
  textOf,
} from '../../reading/message-text.ts';

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
  return (
    <p className={isFailure(message) ? 'notice notice-error' : 'notice'} dir="auto">
      {noticeText(message)}
    </p>
  );
}

/** Where the conversation was replaced by a summary: the model saw nothing above this line any more. */
export function CompactionView({ message }: { readonly message: MessageRow }) {
  return (
    <div className="compaction" role="separator" aria-label="Conversation compacted">
      <span>{compactionText(message)}</span>
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

const MAX_LABELS = 4;

/** A run of messages that nobody typed: one muted line that opens. */
export function ContextView({
  messages,
  isOpen,
  onToggle,
}: OpenableProps & { readonly messages: readonly MessageRow[] }) {
  const labels = [...new Set(messages.map(labelOf))];
  const more = labels.length > MAX_LABELS ? ` and ${labels.length - MAX_LABELS} more` : '';
  const only = messages.length === 1 ? messages[0] : undefined;
  const teaser = only === undefined ? '' : teaserOf(only);
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

/** What the client, an editor or a hook put into a prompt: muted, apart from what was said. */
export function InjectedView({ blocks, isOpen, onToggle }: OpenableProps & { readonly blocks: readonly BlockRow[] }) {
  const labels = [...new Set(blocks.map(injectedLabel))];
  return (
    <div className="muted-block">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span>{labels.join(', ')}</span>}>
        {blocks.map((block) => (
          <div key={block.block_order} className="context-message">
            <p className="muted">{injectedLabel(block)}</p>
            <CollapsibleText text={injectedText(block)} />
          </div>
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
      <p className="muted">{labelOf(message) + attachmentSize(message)}</p>
      {text !== '' && <CollapsibleText text={text} />}
      {text === '' && metadata !== '' && <CollapsibleText text={metadata} />}
    </div>
  );
}
