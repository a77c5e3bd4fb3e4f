import { memo } from 'react';
import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { formatClock, formatExact, shortModel } from '../../reading/format.ts';
import { CutNote } from './cut-note.tsx';
import { Markdown, TypedText } from '../text/markdown-view.tsx';
import { CommandView, CompactionView, ContextView, InjectedView, NoticeView, SummaryView } from './injected-view.tsx';
import { injectedBlocks, mediaText, speakerOf, textOf } from '../../reading/message-text.ts';
import { agentKey, type Row } from './rows.ts';
import { AgentToggle, ToolView } from './tool-view.tsx';
import { Disclosure } from './disclosure.tsx';
import { CollapsibleText } from './collapsible-text.tsx';

export interface RowProps {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly isAgentOpen: boolean;
  /** Opens or closes what the key stands for. */
  readonly onToggle: (key: string) => void;
}

function Clock({ message }: { readonly message: MessageRow }) {
  if (message.timestamp === null) return null;
  return (
    <time className="clock" dateTime={message.timestamp} title={formatExact(message.timestamp)}>
      {formatClock(message.timestamp)}
    </time>
  );
}

function PromptView({ row, isOpen, onToggle }: Pick<RowProps, 'isOpen'> & { row: Row; onToggle: () => void }) {
  const { message } = row;
  const injected = injectedBlocks(message);
  const images = message.content_blocks.filter((block) => block.content_text === null);
  return (
    <section className="prompt">
      <header className="byline">
        <span className="who">{speakerOf(message)}</span>
        <Clock message={message} />
      </header>
      <TypedText text={textOf(message)} />
      {images.map((block) => (
        <MediaView key={block.block_order} block={block} />
      ))}
      {injected.length > 0 && <InjectedView blocks={injected} isOpen={isOpen} onToggle={onToggle} />}
    </section>
  );
}

function AnswerView({
  message,
  block,
  hasByline,
}: {
  readonly message: MessageRow;
  readonly block: BlockRow;
  readonly hasByline: boolean;
}) {
  return (
    <section className="answer">
      {hasByline && (
        <header className="byline">
          <span className="who model" title={message.model ?? undefined}>
            {shortModel(message.model)}
          </span>
          <Clock message={message} />
        </header>
      )}
      <Markdown text={block.content_text ?? ''} />
      <CutNote block={block} />
    </section>
  );
}

function ThinkingView({
  block,
  isOpen,
  onToggle,
}: {
  readonly block: BlockRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const text = block.thinking_text ?? '';
  if (text.trim() === '') return <p className="thinking-hidden">Thinking hidden by the model</p>;
  return (
    <div className="thinking">
      <Disclosure isOpen={isOpen} onToggle={onToggle} label={<span className="thinking-name">Thinking</span>}>
        <Markdown text={text} />
        <CutNote block={block} />
      </Disclosure>
    </div>
  );
}

/** Images and documents are named, not loaded. */
function MediaView({ block }: { readonly block: BlockRow }) {
  return <p className="media">{mediaText(block)}</p>;
}

function OrphanView({ block }: { readonly block: BlockRow }) {
  return (
    <div className="tool">
      <p className="muted">A result whose call is not in this transcript</p>
      <CollapsibleText text={block.result_text ?? ''} className="code output" />
    </div>
  );
}

function RowContent({ row, isOpen, isAgentOpen, onToggle }: RowProps) {
  const toggle = () => onToggle(row.key);
  const toggleAgent = () => onToggle(agentKey(row.key));
  switch (row.kind) {
    case 'prompt':
      return <PromptView row={row} isOpen={isOpen} onToggle={toggle} />;
    case 'text':
      return <AnswerView message={row.message} block={row.block} hasByline={row.hasByline} />;
    case 'thinking':
      return <ThinkingView block={row.block} isOpen={isOpen} onToggle={toggle} />;
    case 'tool':
      return (
        <ToolView
          block={row.block}
          result={row.result}
          agent={row.agent}
          isOpen={isOpen}
          isAgentOpen={isAgentOpen}
          onToggle={toggle}
          onToggleAgent={toggleAgent}
        />
      );
    case 'orphan':
      return <OrphanView block={row.block} />;
    case 'media':
      return <MediaView block={row.block} />;
    case 'command':
      return <CommandView message={row.message} />;
    case 'notice':
      return <NoticeView message={row.message} />;
    case 'compaction':
      return <CompactionView message={row.message} />;
    case 'summary':
      return <SummaryView message={row.message} isOpen={isOpen} onToggle={toggle} />;
    case 'context':
      return <ContextView messages={row.messages} isOpen={isOpen} onToggle={toggle} />;
    case 'agent':
      return <AgentToggle agent={row.agent} isOpen={isOpen} onToggle={toggle} />;
    default:
      return row satisfies never;
  }
}

export const RowView = memo(RowContent);
