import { Bot, FileText, Globe, ListChecks, Pencil, Plug, SquareTerminal, Wrench } from 'lucide-react';
import { withoutTerminalCodes } from '../../../reading/format.ts';
import { type ToolKind, toolKind } from '../../../reading/kinds.ts';
import { errorText } from '../../../reading/tool-output.ts';
import { diffOf, outcomeText, type ToolCall } from '../../../reading/tool-call.ts';
import code from '../code/code.module.css';
import { ToolBody } from './tool-body.tsx';
import styles from './tool.module.css';

const ICONS: Readonly<Record<ToolKind, typeof Bot>> = {
  read: FileText,
  write: Pencil,
  run: SquareTerminal,
  web: Globe,
  agent: Bot,
  task: ListChecks,
  mcp: Plug,
  other_tool: Wrench,
};

interface ToolViewProps {
  readonly call: ToolCall;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A tool call: one line that opens. A failed call shows the end of its output by itself. */
export function ToolView({ call, isOpen, onToggle }: ToolViewProps) {
  const kind = toolKind(call.toolName);
  const Icon = ICONS[kind];
  const classes = [styles['tool'], styles[kind], call.outcome.isError ? styles['bad'] : undefined];
  return (
    <div className={classes.filter((name) => name !== undefined).join(' ')} data-item="tool">
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <Icon size={15} className={styles['icon']} aria-hidden="true" />
        <span className={styles['name']}>{call.name}</span>
        <bdi className={styles['about']}>{call.about}</bdi>
        <Chips call={call} />
      </button>
      {isOpen && (
        <div className={styles['body']}>
          <ToolBody call={call} />
        </div>
      )}
      {!isOpen && call.outcome.isError && <LastLines text={call.result?.text ?? ''} />}
    </div>
  );
}

function Chips({ call }: { readonly call: ToolCall }) {
  const diff = diffOf(call);
  const outcome = outcomeText(call);
  if (diff === null && outcome === '') return null;
  return (
    <small className={styles['chips']}>
      {diff !== null && (
        <span>
          <ins>+{diff.added}</ins> <del>−{diff.removed}</del>
        </span>
      )}
      {outcome !== '' && <span className={call.outcome.isError ? styles['failed'] : undefined}>{outcome}</span>}
    </small>
  );
}

const LAST_LINES = 10;

function LastLines({ text }: { readonly text: string }) {
  const lines = withoutTerminalCodes(errorText(text)).trimEnd().split('\n');
  if (lines.join('').trim() === '') return null;
  return (
    <div className={styles['body']}>
      <pre className={`${code['code']} ${code['failed']}`} aria-label="End of the output" dir="auto">
        {lines.slice(-LAST_LINES).join('\n')}
      </pre>
    </div>
  );
}
