import type { BlockRow } from '../../domain/query.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { plural } from '../text/format.ts';
import type { Agent } from './agents.ts';
import { CollapsibleText } from './collapsible-text.tsx';
import { Disclosure } from './disclosure.tsx';
import { diffLines, inputField, showToolName, summariseInput } from './tool-input.ts';

const MAX_DIFF_LINES = 400;

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = diffLines(before, after);
  const name = { '+': 'added', '-': 'removed', ' ': 'same' } as const;
  return (
    <pre className="code diff" aria-label="Change">
      {lines.slice(0, MAX_DIFF_LINES).map((line, index) => (
        <span key={index} className={`diff-line diff-${name[line.sign]}`}>
          {`${line.sign} ${line.text}\n`}
        </span>
      ))}
      {lines.length > MAX_DIFF_LINES && `… ${plural(lines.length - MAX_DIFF_LINES, 'more line')}`}
    </pre>
  );
}

function edits(input: JsonValue | null): { readonly before: string; readonly after: string }[] {
  const list = (input as { readonly edits?: JsonValue } | null)?.edits;
  const parts = Array.isArray(list) ? (list as readonly JsonValue[]) : [input];
  return parts.flatMap((part) => {
    const before = inputField(part, 'old_string');
    const after = inputField(part, 'new_string');
    return before === null || after === null ? [] : [{ before, after }];
  });
}

/** What was asked of the tool: a change as a change, a command as a command, the rest as JSON. */
function ToolInput({ block }: { readonly block: BlockRow }) {
  const input = block.tool_input;
  const changes = edits(input);
  if (changes.length > 0) return changes.map((change, index) => <Diff key={index} {...change} />);
  const main = inputField(input, block.tool_name === 'Bash' ? 'command' : 'prompt') ?? inputField(input, 'content');
  if (main !== null) return <CollapsibleText text={main} />;
  return <CollapsibleText text={JSON.stringify(input, null, 2)} />;
}

function RawInput({ block }: { readonly block: BlockRow }) {
  return (
    <details className="raw">
      <summary>Input as JSON</summary>
      <CollapsibleText text={JSON.stringify(block.tool_input, null, 2)} />
    </details>
  );
}

function ToolResult({ result }: { readonly result: BlockRow | null }) {
  if (result === null) return <p className="muted">No result in this transcript.</p>;
  const text = result.result_text ?? result.content_text;
  if (text === null || text === '') return <p className="muted">No output.</p>;
  return <CollapsibleText text={text} className={result.is_error === true ? 'code output error' : 'code output'} />;
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
  const isError = result?.is_error === true;
  const summary = summariseInput(block.tool_name, block.tool_input);
  return (
    <div className={isError ? 'tool tool-failed' : 'tool'}>
      <Disclosure
        isOpen={isOpen}
        onToggle={onToggle}
        label={<span className="tool-name">{showToolName(block.tool_name)}</span>}
        detail={<bdi className="tool-summary">{summary}</bdi>}
        mark={isError ? 'failed' : result === null ? 'no result' : null}
      >
        <ToolInput block={block} />
        <RawInput block={block} />
        <ToolResult result={result} />
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
