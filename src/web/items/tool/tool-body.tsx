import { type ReactNode, useMemo } from 'react';
import { agentAnswer } from '../../../domain/agent-answer.ts';
import { rejectionWords } from '../../../reading/rejection.ts';
import { errorText } from '../../../reading/tool-output.ts';
import { diffEdits } from '../../../reading/diff.ts';
import { diffOf, outputOf, type ToolCall, type ToolResult, viewOf } from '../../../reading/tool-call.ts';
import type { ToolView } from '../../../reading/tool-view.ts';
import { CodeView } from '../code/code-view.tsx';
import { DiffView } from '../code/diff-view.tsx';
import { languageOfPath } from '../code/languages.ts';
import { TerminalOutput } from '../code/terminal-output.tsx';
import { CutNote } from '../context-view.tsx';
import { MediaList } from '../media/media-list.tsx';
import { Markdown } from '../../text/markdown-view.tsx';
import { ChangeBody, FileBody, SearchBody } from './file-views.tsx';
import {
  AgentBody,
  FieldsBody,
  MessageBody,
  PlanBody,
  QuestionsBody,
  StartedAgents,
  WebBody,
  WebSearchBody,
} from './document-views.tsx';
import { TaskBody, TasksBody, TodosBody } from './task-views.tsx';
import styles from './tool.module.css';

interface ToolBodyProps {
  readonly call: ToolCall;
  /** The session is live, and the result is still to come. */
  readonly isRunning: boolean;
}

/** Input and output of a call, in the form that suits its tool. */
export function ToolBody({ call, isRunning }: ToolBodyProps) {
  return (
    <>
      <TextBody call={call} isRunning={isRunning} />
      <MediaList media={call.result?.media ?? []} />
    </>
  );
}

function TextBody({ call, isRunning }: ToolBodyProps) {
  const diff = diffOf(call);
  const view = viewOf(call);
  if (call.outcome.isError)
    return (
      <>
        <RequestBody view={view} />
        <FailedOutput call={call} isCommand={view.kind === 'command'} />
      </>
    );
  if (diff !== null) return <ChangeBody call={call} diff={diff} />;
  if (view.kind === 'command')
    return (
      <>
        <RequestBody view={view} />
        <CommandOutput call={call} isRunning={isRunning} />
      </>
    );
  return (
    <>
      <RequestBody view={view} />
      <StartedAgents agents={call.subagents} />
      {!showsResult(view) && <Output result={call.result} isRunning={isRunning} isProse={PROSE.has(view.kind)} />}
    </>
  );
}

/** Views that show the result themselves, or whose result only confirms the request. */
const HAS_OWN_OUTPUT: ReadonlySet<ToolView['kind']> = new Set<ToolView['kind']>([
  'listing',
  'search',
  'todos',
  'task',
  'tasks',
  'questions',
  'plan',
  'message',
  'web-search',
]);

/** What was read of a file may be an image, or a note that the file is empty; the end of a command may be a sentence. */
function showsResult(view: ToolView): boolean {
  return 'output' in view && view.output === null ? false : view.kind === 'file' || HAS_OWN_OUTPUT.has(view.kind);
}

/** Views whose result is text written for people. */
const PROSE: ReadonlySet<ToolView['kind']> = new Set<ToolView['kind']>(['agent', 'web']);

function RequestBody({ view }: { readonly view: ToolView }): ReactNode {
  switch (view.kind) {
    case 'command':
      return <CommandBody command={view.command} description={view.description} />;
    case 'background':
      return <BackgroundBody output={view.output} />;
    case 'diff':
      return <RequestedChange view={view} />;
    case 'file':
      return <FileBody view={view} />;
    case 'listing':
      return view.text === '' ? null : <TerminalOutput text={view.text} label={`Contents of ${view.path}`} />;
    case 'search':
      return <SearchBody view={view} />;
    case 'todos':
      return <TodosBody todos={view.todos} />;
    case 'tasks':
      return <TasksBody tasks={view.tasks} />;
    case 'task':
      return <TaskBody task={view} />;
    case 'questions':
      return <QuestionsBody questions={view.questions} />;
    case 'plan':
      return <PlanBody plan={view.plan} state={view.state} />;
    case 'agent':
      return <AgentBody agent={view} />;
    case 'message':
      return <MessageBody to={view.to} text={view.text} />;
    case 'web':
      return <WebBody target={view.target} prompt={view.prompt} />;
    case 'web-search':
      return <WebSearchBody output={view.output} />;
    case 'skill':
      return view.args === null ? null : <p className={styles['quote']}>{view.args}</p>;
    case 'fields':
      return <FieldsBody fields={view.fields} />;
    case 'generic':
      return view.input === null ? null : (
        <CodeView text={JSON.stringify(view.input, null, 2)} language="json" label="Input" />
      );
    default:
      return view satisfies never;
  }
}

function CommandBody({ command, description }: { readonly command: string; readonly description: string | null }) {
  return (
    <div className={styles['command']}>
      {description !== null && <p className={styles['caption']}>{description}</p>}
      <div className={styles['shell']}>
        <CodeView text={command} language="bash" label="Command" />
      </div>
    </div>
  );
}

/** A change that was not made. */
function RequestedChange({ view: { path, edits } }: { readonly view: Extract<ToolView, { kind: 'diff' }> }) {
  const diff = useMemo(() => diffEdits(edits), [edits]);
  const language = languageOfPath(path);
  if (edits.every(({ before }) => before === ''))
    return edits.map(({ after }, index) => (
      <CodeView key={index} text={after} language={language} label="Requested text" />
    ));
  return <DiffView diff={diff} language={language} label="Requested change" />;
}

function BackgroundBody({ output }: Pick<Extract<ToolView, { kind: 'background' }>, 'output'>) {
  if (output === null) return null;
  const { status, exitCode, stdout, stderr } = output;
  return (
    <>
      <p className={styles['caption']}>
        {status ?? 'ended'}
        {exitCode !== null && `, exit ${exitCode}`}
      </p>
      {stdout !== '' && <TerminalOutput text={stdout} label="Output" />}
      {stderr !== '' && (
        <>
          <p className={styles['caption']}>Error output</p>
          <TerminalOutput text={stderr} label="Error output" isError={exitCode !== null && exitCode !== '0'} />
        </>
      )}
    </>
  );
}

function FailedOutput({ call, isCommand }: { readonly call: ToolCall; readonly isCommand: boolean }) {
  const words = rejectionWords(call.result?.text ?? '');
  if (words !== null) return <Rejection words={words} />;
  // Only what ran can have failed.
  const result = call.outcome.status === 'denied' ? withoutError(call.result) : call.result;
  return isCommand ? <CommandOutput call={{ ...call, result }} /> : <Output result={result} />;
}

function withoutError(result: ToolResult | null): ToolResult | null {
  return result === null ? null : { ...result, isError: false, text: errorText(result.text) };
}

/** The rest of such a result is an instruction for the model. */
export function Rejection({ words }: { readonly words: string }) {
  if (words === '') return null;
  return (
    <blockquote className={styles['words']}>
      <p className={styles['caption']}>You said</p>
      <Markdown text={words} />
    </blockquote>
  );
}

/** Output and error output of a command, apart where they are known. */
function CommandOutput({ call, isRunning = false }: Pick<ToolBodyProps, 'call'> & Partial<ToolBodyProps>) {
  const { stdout, stderr } = outputOf(call);
  const isFailed = call.outcome.isError && call.outcome.status !== 'denied';
  if (call.result === null || (stdout.trim() === '' && stderr === ''))
    return <Output result={call.result} isRunning={isRunning} />;
  return (
    <>
      {stdout.trim() !== '' && <TerminalOutput text={stdout} label="Output" isError={isFailed && stderr === ''} />}
      {stderr !== '' && (
        <>
          <p className={styles['caption']}>Error output</p>
          <TerminalOutput text={stderr} label="Error output" isError={isFailed} />
        </>
      )}
      <CutNote isCut={call.result.isCut} />
    </>
  );
}

interface OutputProps {
  readonly result: ToolResult | null;
  readonly isProse?: boolean;
  readonly isRunning?: boolean;
}

function Output({ result, isProse = false, isRunning = false }: OutputProps) {
  if (result === null)
    return <p className={styles['caption']}>{isRunning ? 'Still running.' : 'No result in this transcript.'}</p>;
  const text = result.isError ? errorText(result.text) : result.text;
  if (text.trim() === '') return result.media.length > 0 ? null : <p className={styles['caption']}>No output</p>;
  return (
    <>
      {isProse && !result.isError ? (
        <div className={styles['document']}>
          <Markdown text={agentAnswer(text)} />
        </div>
      ) : (
        <PlainOutput text={text} isError={result.isError} />
      )}
      <CutNote isCut={result.isCut} />
    </>
  );
}

/** Many tools answer with JSON in one line. */
function PlainOutput({ text, isError }: { readonly text: string; readonly isError: boolean }) {
  const json = useMemo(() => prettyJson(text), [text]);
  if (json !== null) return <CodeView text={json} language="json" label="Output" />;
  return <TerminalOutput text={text} label="Output" isError={isError} />;
}

function prettyJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
