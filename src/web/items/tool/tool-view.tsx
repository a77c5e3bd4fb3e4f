import {
  Ban,
  Bot,
  CircleDashed,
  FileText,
  Globe,
  ListChecks,
  Moon,
  OctagonX,
  Pencil,
  Plug,
  SquareTerminal,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { plainOutput } from '../../../reading/ansi.ts';
import { type ToolKind, toolKind } from '../../../reading/kinds.ts';
import { rejectionWords } from '../../../reading/rejection.ts';
import { inputField } from '../../../reading/tool-view.ts';
import {
  changeNote,
  diffOf,
  outcomeParts,
  outputOf,
  type ToolCall,
  waitedText,
  writtenText,
} from '../../../reading/tool-call.ts';
import code from '../code/code.module.css';
import { PathText } from '../path-text.tsx';
import { Rejection, ToolBody } from './tool-body.tsx';
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
  /** The session is live, and the result is still to come. */
  readonly isRunning: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A tool call: one line that opens. A failed call shows the end of its output by itself. */
export function ToolView({ call, isRunning, isOpen, onToggle }: ToolViewProps) {
  const kind = toolKind(call.toolName);
  const Icon = ICONS[kind];
  const classes = [styles['tool'], styles[kind], isFailed(call) ? styles['bad'] : undefined];
  return (
    <div className={classes.filter((name) => name !== undefined).join(' ')} data-item="tool">
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <Icon size={15} className={styles['icon']} aria-hidden="true" />
        <span className={styles['name']}>{call.name}</span>
        <About call={call} />
        <Chips call={call} isRunning={isRunning} />
      </button>
      {isOpen && (
        <div className={styles['body']}>
          <ToolBody call={call} isRunning={isRunning} />
        </div>
      )}
      {!isOpen && call.outcome.isError && <LastLines call={call} />}
    </div>
  );
}

/** A call that was denied or interrupted did not fail. */
function isFailed({ outcome: { isError, status } }: ToolCall): boolean {
  return isError && status !== 'denied' && status !== 'interrupted';
}

/** Calls that did not end in the usual way are recognizable at a glance. */
const STATE_ICONS: ReadonlyMap<string, ReactNode> = new Map([
  ['denied', <Ban key="icon" size={12} aria-hidden="true" />],
  ['interrupted', <OctagonX key="icon" size={12} aria-hidden="true" />],
  ['background', <Moon key="icon" size={12} aria-hidden="true" />],
  ['pending', <CircleDashed key="icon" size={12} aria-hidden="true" />],
]);

function About({ call: { about, input } }: { readonly call: ToolCall }) {
  const path = inputField(input, 'file_path') ?? inputField(input, 'notebook_path');
  const isPath = path?.endsWith(about) === true;
  return <span className={styles['about']}>{isPath ? <PathText path={about} /> : <bdi>{about}</bdi>}</span>;
}

function Chips({ call, isRunning }: Pick<ToolViewProps, 'call' | 'isRunning'>) {
  const diff = diffOf(call);
  const { outcome: text, duration } = outcomeParts(call);
  const outcome = isRunning ? 'running' : text;
  const waited = waitedText(call);
  const note = changeNote(call);
  if (diff === null && outcome === '' && duration === '' && waited === '') return null;
  const { status } = call.outcome;
  const state = isRunning ? styles['running'] : isFailed(call) ? styles['failed'] : styles[status];
  return (
    <small className={styles['chips']}>
      {note !== '' && <span>{note}</span>}
      {diff !== null && <Change added={diff.added} removed={writtenText(call) === null ? diff.removed : null} />}
      {waited !== '' && (
        <span className={styles['waited']} title="Time until somebody allowed the call">
          {waited}
        </span>
      )}
      {(outcome !== '' || duration !== '') && (
        <span className={`${styles['outcome']} ${state ?? ''}`}>
          {STATE_ICONS.get(status)}
          {outcome}
          {duration !== '' && <Duration text={duration} isAlone={outcome === ''} />}
        </span>
      )}
    </small>
  );
}

function Duration({ text, isAlone }: { readonly text: string; readonly isAlone: boolean }) {
  return isAlone ? text : <span className={styles['duration']}> · {text}</span>;
}

function Change({ added, removed }: { readonly added: number; readonly removed: number | null }) {
  return (
    <span>
      <ins>+{added}</ins> {removed !== null && <del>−{removed}</del>}
    </span>
  );
}

const LAST_LINES = 10;
const DENIAL_LINES = 3;

function LastLines({ call }: { readonly call: ToolCall }) {
  const words = rejectionWords(call.result?.text ?? '');
  if (words !== null) return words === '' ? null : <RejectedBody words={words} />;
  const { stdout, stderr } = outputOf(call);
  const lines = plainOutput(`${stdout}\n${stderr}`).trim().split('\n');
  if (lines.join('').trim() === '') return null;
  const isDenied = call.outcome.status === 'denied';
  return (
    <div className={styles['body']}>
      <pre
        className={`${code['code']} ${isFailed(call) ? code['failed'] : code['output']}`}
        aria-label={isDenied ? 'Beginning of the reason' : 'End of the output'}
        dir="ltr"
      >
        {(isDenied ? lines.slice(0, DENIAL_LINES) : lines.slice(-LAST_LINES)).map((line, at) => (
          <span key={at} className={`${code['line']} ${isDenied ? code['brief'] : ''}`}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}

function RejectedBody({ words }: { readonly words: string }) {
  return (
    <div className={styles['body']}>
      <Rejection words={words} />
    </div>
  );
}
