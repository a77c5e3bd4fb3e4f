import { Brain, ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Entry, type EntryOf, isFromAgent, placeOf } from '../../reading/entry.ts';
import { firstLine, formatClock, formatExact, shortModel } from '../../reading/format.ts';
import { Markdown, TypedText } from '../text/markdown-view.tsx';
import { WithActions } from './actions/with-actions.tsx';
import { TerminalOutput } from './code/terminal-output.tsx';
import { ContextView, CutNote, InjectedChips } from './context-view.tsx';
import { useItemContext } from './item-context.ts';
import styles from './item.module.css';
import { MediaList } from './media/media-list.tsx';
import { ToolView } from './tool/tool-view.tsx';

/** An entry with something to show. */
export type ShownEntry = Exclude<Entry, EntryOf<'empty'>>;

export interface ItemViewProps {
  readonly entry: ShownEntry;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Draws one item of a session, whatever its kind. */
export function ItemView({ entry, isOpen, onToggle }: ItemViewProps) {
  const content = <Content entry={entry} isOpen={isOpen} onToggle={onToggle} />;
  // Each message of a run has its own actions.
  if (entry.kind === 'context') return content;
  return (
    <WithActions
      kind={entry.kind}
      message={entry.message}
      block={placeOf(entry).block}
      call={entry.kind === 'tool' ? entry.call : null}
    >
      {content}
    </WithActions>
  );
}

function Content({ entry, isOpen, onToggle }: Pick<ItemViewProps, 'entry' | 'isOpen' | 'onToggle'>): ReactNode {
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
      return <CallView entry={entry} isOpen={isOpen} onToggle={onToggle} />;
    case 'result':
      return <ResultView entry={entry} />;
    case 'media':
      return <MediaList media={[entry.media]} />;
    case 'notice':
      return (
        <p className={entry.isError ? `${styles['notice']} ${styles['error']}` : styles['notice']} dir="auto">
          {entry.text}
        </p>
      );
    case 'compaction':
      return <CompactionView text={entry.text} />;
    case 'summary':
      return <SummaryView label={entry.label} text={entry.text} isOpen={isOpen} onToggle={onToggle} />;
    case 'context':
      return <ContextView items={entry.items} isOpen={isOpen} onToggle={onToggle} />;
    default:
      return entry satisfies never;
  }
}

function CallView({ entry: { call, message }, ...openable }: Openable & { readonly entry: EntryOf<'tool'> }) {
  const { runningFrom } = useItemContext();
  const isRunning = runningFrom !== null && message.ordinal >= runningFrom && call.outcome.status === 'pending';
  return <ToolView call={call} isRunning={isRunning} {...openable} />;
}

function Clock({ timestamp }: { readonly timestamp: string | null }) {
  if (timestamp === null) return null;
  return (
    <time className={styles['clock']} dateTime={timestamp} title={formatExact(timestamp)}>
      {formatClock(timestamp)}
    </time>
  );
}

interface Openable {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function PromptView({ entry, isOpen, onToggle }: Openable & { readonly entry: EntryOf<'prompt'> }) {
  const isAgent = isFromAgent(entry.message.origin);
  const Text = isAgent ? Markdown : TypedText;
  return (
    <section className={styles['prompt']} data-item="prompt" data-from={isAgent ? 'agent' : undefined}>
      <header className={styles['byline']}>
        <span className={styles['who']}>{entry.speaker}</span>
        <Clock timestamp={entry.message.timestamp} />
      </header>
      {entry.text !== '' && <Text text={entry.text} />}
      <MediaList media={entry.media} />
      {entry.injected.length > 0 && <InjectedChips injected={entry.injected} isOpen={isOpen} onToggle={onToggle} />}
    </section>
  );
}

function CommandView({ entry }: { readonly entry: EntryOf<'command'> }) {
  return (
    <p className={styles['command']}>
      <code>{entry.text}</code>
      <Clock timestamp={entry.message.timestamp} />
    </p>
  );
}

function AnswerView({ entry: { message, text, isCut, isNewSpeaker } }: { readonly entry: EntryOf<'answer'> }) {
  return (
    <section className={styles['answer']} data-item="answer">
      {isNewSpeaker && (
        <header className={styles['byline']}>
          <span className={`${styles['who']} ${styles['model']}`} title={message.model ?? undefined}>
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

function ResultView({ entry: { result } }: { readonly entry: EntryOf<'result'> }) {
  return (
    <div className={styles['body']}>
      <p className={styles['name']}>Result of a call that is not in this transcript</p>
      {result.text !== '' && <TerminalOutput text={result.text} label="Output" isError={result.isError} />}
      <MediaList media={result.media} />
    </div>
  );
}

const TEASER_CHARS = 160;

function ThinkingView({ entry, isOpen, onToggle }: Openable & { readonly entry: EntryOf<'thinking'> }) {
  if (entry.text === '') return null;
  return (
    <div data-item="thinking">
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <Brain size={15} aria-hidden="true" />
        <span>Thinking</span>
        {!isOpen && <bdi className={styles['about']}>{firstLine(entry.text, TEASER_CHARS)}</bdi>}
      </button>
      {isOpen && (
        <div className={styles['body']}>
          <Markdown text={entry.text} />
          <CutNote isCut={entry.isCut} />
        </div>
      )}
    </div>
  );
}

/** Where a summary replaced the conversation: the model no longer saw anything above this line. */
function CompactionView({ text }: { readonly text: string }) {
  return (
    <div className={styles['compaction']} data-item="compaction" role="separator" aria-label={text}>
      <span>{text}</span>
    </div>
  );
}

function SummaryView({ label, text, isOpen, onToggle }: Openable & { readonly label: string; readonly text: string }) {
  return (
    <>
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <ScrollText size={15} aria-hidden="true" />
        <span>{label}</span>
      </button>
      {isOpen && (
        <div className={styles['body']}>
          <Markdown text={text} />
        </div>
      )}
    </>
  );
}
