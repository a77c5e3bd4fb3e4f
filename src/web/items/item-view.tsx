import type { ApiBase } from '../../client/client.ts';
import type { Entry, EntryOf } from '../../reading/entry.ts';
import { formatClock, formatExact, shortModel } from '../../reading/format.ts';
import { type Branch, branchText } from '../../reading/parts.ts';
import { Markdown, TypedText } from '../text/markdown-view.tsx';
import { CollapsibleText } from './collapsible-text.tsx';
import { ContextView, CutNote, InjectedView } from './context-view.tsx';
import { Disclosure } from './disclosure.tsx';
import { ToolView } from './tool-view.tsx';

/** An entry with something to show. */
export type ShownEntry = Exclude<Entry, EntryOf<'empty'>>;

function Clock({ timestamp }: { readonly timestamp: string | null }) {
  if (timestamp === null) return null;
  return (
    <time className="clock" dateTime={timestamp} title={formatExact(timestamp)}>
      {formatClock(timestamp)}
    </time>
  );
}

interface Openable {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function BranchNote({ branch }: { readonly branch: Branch | null }) {
  return branch === null ? null : <p className="muted">{branchText(branch)}</p>;
}

function PromptView({ entry, isOpen, onToggle }: Openable & { readonly entry: EntryOf<'prompt'> }) {
  return (
    <>
      <BranchNote branch={entry.branch} />
      <section className="prompt">
        <header className="byline">
          <span className="who">{entry.speaker}</span>
          <Clock timestamp={entry.message.timestamp} />
        </header>
        <TypedText text={entry.text} />
        {entry.media.map((text, index) => (
          <p key={index} className="media">
            {text}
          </p>
        ))}
        {entry.injected.length > 0 && <InjectedView injected={entry.injected} isOpen={isOpen} onToggle={onToggle} />}
      </section>
    </>
  );
}

function CommandView({ entry }: { readonly entry: EntryOf<'command'> }) {
  return (
    <>
      <BranchNote branch={entry.branch} />
      <p className="command">
        <code>{entry.text}</code>
        <Clock timestamp={entry.message.timestamp} />
      </p>
    </>
  );
}

function AnswerView({ entry: { message, text, isCut, isNewSpeaker } }: { readonly entry: EntryOf<'answer'> }) {
  return (
    <section className="answer">
      {isNewSpeaker && (
        <header className="byline">
          <span className="who model" title={message.model ?? undefined}>
            {shortModel(message.model)}
          </span>
          <Clock timestamp={message.timestamp} />
        </header>
      )}
      <Markdown text={text} />
      <CutNote isCut={isCut} />
    </section>
  );
}

function ThinkingView({ entry, isOpen, onToggle }: Openable & { readonly entry: EntryOf<'thinking'> }) {
  if (entry.text === '') return <p className="thinking-hidden">Thinking hidden by the model</p>;
  return (
    <div className="thinking">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span className="thinking-name">Thinking</span>}>
        <Markdown text={entry.text} />
        <CutNote isCut={entry.isCut} />
      </Disclosure>
    </div>
  );
}

/** Where a summary replaced the conversation: the model no longer saw anything above this line. */
function CompactionView({ text }: { readonly text: string }) {
  return (
    <div className="compaction" role="separator" aria-label="Conversation compacted">
      <span>{text}</span>
    </div>
  );
}

function SummaryView({ text, isOpen, onToggle }: Openable & { readonly text: string }) {
  return (
    <div className="muted-block">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span>Summary the model continued with</span>}>
        <Markdown text={text} />
      </Disclosure>
    </div>
  );
}

/** What an item needs to know about the page around it. */
export interface ItemContext {
  readonly base: ApiBase;
  readonly sessionId: string;
  /** Text to mark, from a search or from finding in the session; null for none. */
  readonly marked: string | null;
}

/** The position of an item: its message and, for one block of an answer, that block. */
export interface Item {
  readonly ordinal: number;
  /** -1 if the item is the whole message. */
  readonly block: number;
}

export interface ItemViewProps {
  readonly item: Item;
  readonly entry: ShownEntry;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly context: ItemContext;
}

/** Draws one item of a session, whatever its kind. */
export function ItemView({ entry, isOpen, onToggle }: ItemViewProps) {
  switch (entry.kind) {
    case 'prompt':
      return <PromptView entry={entry} isOpen={isOpen} onToggle={onToggle} />;
    case 'command':
      return <CommandView entry={entry} />;
    case 'answer':
      return <AnswerView entry={entry} />;
    case 'thinking':
      return <ThinkingView entry={entry} isOpen={isOpen} onToggle={onToggle} />;
    case 'tool':
      return <ToolView call={entry.call} isOpen={isOpen} onToggle={onToggle} />;
    case 'result':
      return (
        <div className="tool">
          <p className="muted">Result without its call</p>
          <CollapsibleText text={entry.result.text} className="code output" />
        </div>
      );
    case 'media':
      return <p className="media">{entry.text}</p>;
    case 'notice':
      return (
        <p className={entry.isError ? 'notice notice-error' : 'notice'} dir="auto">
          {entry.text}
        </p>
      );
    case 'compaction':
      return <CompactionView text={entry.text} />;
    case 'summary':
      return <SummaryView text={entry.text} isOpen={isOpen} onToggle={onToggle} />;
    case 'context':
      return <ContextView items={entry.items} isOpen={isOpen} onToggle={onToggle} />;
    default:
      return entry satisfies never;
  }
}
