import { useState } from 'react';
import type { Diff, DiffLine } from '../../reading/diff.ts';
import { plural } from '../../reading/format.ts';
import { diffOf, markOf, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { CollapsibleText } from './collapsible-text.tsx';
import { CutNote } from './context-view.tsx';
import { Disclosure } from './disclosure.tsx';

const MAX_DIFF_LINES = 400;
const DIFF_CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'same' } as const;

function DiffView({ diff: { lines } }: { readonly diff: Diff }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = lines.length > MAX_DIFF_LINES && !isWhole;
  return (
    <>
      <pre className="code diff" aria-label="Change">
        {(isLong ? lines.slice(0, MAX_DIFF_LINES) : lines).map((line, index) => (
          <ChangedLine key={index} line={line} />
        ))}
      </pre>
      {isLong && (
        <button type="button" className="quiet-button" onClick={() => setWhole(true)}>
          Show all {plural(lines.length, 'line')}
        </button>
      )}
    </>
  );
}

function ChangedLine({ line: { mark, text, parts } }: { readonly line: DiffLine }) {
  return (
    <span className={`diff-line diff-${DIFF_CLASSES[mark]}`}>
      {`${mark} `}
      {parts?.map((part, index) => (part.isChanged ? <mark key={index}>{part.text}</mark> : part.text)) ?? text}
      {'\n'}
    </span>
  );
}

function ToolBody({ call }: { readonly call: ToolCall }) {
  const diff = diffOf(call);
  const view = viewOf(call);
  const text = viewText(view);
  return (
    <>
      {diff !== null && <DiffView diff={diff} />}
      {diff === null && text !== '' && <CollapsibleText text={text} />}
      <ToolOutput result={call.result} />
      {view.kind !== 'generic' && (
        <details className="raw">
          <summary>Input as JSON</summary>
          <CollapsibleText text={JSON.stringify(call.input, null, 2)} />
        </details>
      )}
    </>
  );
}

function ToolOutput({ result }: { readonly result: ToolResult | null }) {
  if (result === null) return <p className="muted">No result in this transcript.</p>;
  if (result.text === '') return <p className="muted">No output.</p>;
  return (
    <>
      <CollapsibleText text={result.text} className={result.isError ? 'code output error' : 'code output'} />
      <CutNote isCut={result.isCut} />
    </>
  );
}

interface ToolViewProps {
  readonly call: ToolCall;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function ToolView({ call, isOpen, onToggle }: ToolViewProps) {
  const mark = markOf(call);
  return (
    <div className={call.outcome.isError ? 'tool tool-failed' : 'tool'}>
      <Disclosure
        isOpen={isOpen}
        onToggle={onToggle}
        label={<span className="tool-name">{call.name}</span>}
        detail={<bdi className="tool-summary">{call.about}</bdi>}
        mark={mark === '' ? null : mark}
      >
        <ToolBody call={call} />
      </Disclosure>
    </div>
  );
}
