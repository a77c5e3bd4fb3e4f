import { useContext, useMemo, useState, type ReactNode } from 'react';
import type { BlockRow } from '../../api/answers/transcript.ts';
import { plural } from '../../reading/format.ts';
import type { Agent } from './agents.ts';
import { CollapsibleText } from './collapsible-text.tsx';
import { Disclosure } from './disclosure.tsx';
import { CutNote } from './cut-note.tsx';
import { SessionFolder } from './session-folder.ts';
import { diffEdits, type DiffLine, type Edit } from '../../reading/diff.ts';
import { editsOf, inputField, showToolName, sizeOfChange, summariseInput } from '../../reading/tool-input.ts';
import { callOutcome } from '../../reading/tool-outcome.ts';

const MAX_DIFF_LINES = 400;
const DIFF_CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'same' } as const;

function Diff({ edits }: { readonly edits: readonly Edit[] }) {
  const { lines } = useMemo(() => diffEdits(edits), [edits]);
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

/** What was asked of the tool in its own form: a change as a change, a command as a command. Null for the rest. */
function spokenInput(block: BlockRow): ReactNode {
  const changes = editsOf(block.tool_input);
  if (changes.length > 0) return <Diff edits={changes} />;
  for (const name of ['command', 'prompt', 'content', 'plan']) {
    const text = inputField(block.tool_input, name);
    if (text !== null) return <CollapsibleText text={text} />;
  }
  return null;
}

function RawInput({ block }: { readonly block: BlockRow }) {
  return <CollapsibleText text={JSON.stringify(block.tool_input, null, 2)} />;
}

function ToolBody({ block, result }: { readonly block: BlockRow; readonly result: BlockRow | null }) {
  const spoken = spokenInput(block);
  return (
    <>
      {spoken ?? <RawInput block={block} />}
      <ToolResult result={result} />
      {spoken !== null && (
        <details className="raw">
          <summary>Input as JSON</summary>
          <RawInput block={block} />
        </details>
      )}
    </>
  );
}

function ToolResult({ result }: { readonly result: BlockRow | null }) {
  if (result === null) return <p className="muted">No result in this transcript.</p>;
  const text = result.result_text ?? result.content_text;
  if (text === null || text === '') return <p className="muted">No output.</p>;
  return (
    <>
      <CollapsibleText text={text} className={result.is_error === true ? 'code output error' : 'code output'} />
      <CutNote block={result} />
    </>
  );
}

interface ToolViewProps {
  readonly block: BlockRow;
  readonly result: BlockRow | null;
  readonly agent: Agent | null;
  readonly isOpen: boolean;
  readonly isAgentOpen: boolean;
  readonly onToggle: () => void;
  readonly onToggleAgent: () => void;
}

export function ToolView({ block, result, agent, isOpen, isAgentOpen, onToggle, onToggleAgent }: ToolViewProps) {
  const { words, isFailure } = callOutcome(block, result);
  const summary = summariseInput(block.tool_name, block.tool_input, useContext(SessionFolder));
  const mark = words || sizeOfChange(block.tool_input);
  return (
    <div className={isFailure ? 'tool tool-failed' : 'tool'}>
      <Disclosure
        isOpen={isOpen}
        onToggle={onToggle}
        label={<span className="tool-name">{showToolName(block.tool_name)}</span>}
        detail={<bdi className="tool-summary">{summary}</bdi>}
        mark={mark}
      >
        <ToolBody block={block} result={result} />
      </Disclosure>
      {agent !== null && <AgentToggle agent={agent} isOpen={isAgentOpen} onToggle={onToggleAgent} />}
    </div>
  );
}

interface AgentToggleProps {
  readonly agent: Agent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function AgentToggle({ agent, isOpen, onToggle }: AgentToggleProps) {
  return (
    <button type="button" className="agent-toggle" aria-expanded={isOpen} onClick={onToggle}>
      <span className="chevron" aria-hidden="true" />
      Sub-agent <span className="agent-id">{agent.id}</span> · {plural(agent.messages.length, 'message')}
    </button>
  );
}
