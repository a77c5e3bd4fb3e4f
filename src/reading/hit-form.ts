import type { SearchHit } from '../api/search.ts';
import type { PlaceKind } from '../domain/search.ts';
import { type ToolKind, toolKind } from './kinds.ts';

/** How a hit is drawn: like the thing that it is. */
export interface HitForm {
  /** The color of the hit, as everywhere on the page. */
  readonly color: 'human' | 'model' | 'read' | 'write' | 'run' | 'web' | 'agent' | 'system' | 'error';
  readonly label: string;
  /** The command, file or other subject above the text; null if the text stands for itself. */
  readonly head: { readonly form: 'command' | 'file' | 'text'; readonly text: string } | null;
  readonly body: 'prose' | 'quote' | 'command' | 'output' | 'added' | 'removed' | 'code';
  /** How a call ended, if it failed: `exit 1`, `denied`. */
  readonly failure: string | null;
}

type Shown = Pick<SearchHit, 'kind' | 'tool_name' | 'input_field' | 'call'>;

export function hitForm(hit: Shown): HitForm {
  if (hit.kind === 'input') return inputForm(hit);
  if (hit.kind === 'output') return outputForm(hit);
  return { ...TEXT_FORMS[hit.kind], head: null, failure: null };
}

const TEXT_FORMS: Readonly<Record<Exclude<PlaceKind, 'input' | 'output'>, Pick<HitForm, 'color' | 'label' | 'body'>>> =
  {
    title: { color: 'system', label: 'Title', body: 'prose' },
    note: { color: 'human', label: 'Note', body: 'quote' },
    summary: { color: 'system', label: 'Summary', body: 'prose' },
    prompt: { color: 'human', label: 'Prompt', body: 'quote' },
    answer: { color: 'model', label: 'Answer', body: 'prose' },
    thinking: { color: 'model', label: 'Thinking', body: 'prose' },
    context: { color: 'system', label: 'Added by the client', body: 'prose' },
    document: { color: 'system', label: 'Document', body: 'prose' },
  };

const COLORS: Readonly<Record<ToolKind, HitForm['color']>> = {
  read: 'read',
  write: 'write',
  run: 'run',
  web: 'web',
  agent: 'agent',
  task: 'system',
  mcp: 'web',
  other_tool: 'system',
};

/** Inputs that hold the text before and after a change. */
const REMOVED = ['old_string', 'old_str'];
const ADDED = ['new_string', 'new_str', 'content', 'new_source', 'edits', 'file_text'];
const PATHS = ['file_path', 'notebook_path', 'path'];

function inputForm(hit: Shown): HitForm {
  const { tool_name, input_field, call } = hit;
  const kind = toolKind(tool_name);
  const base = { color: COLORS[kind], label: tool_name ?? 'Tool call', failure: failureOf(call) };
  const field = input_field ?? '';
  const head = headOf(kind, call?.subject ?? '');
  if (kind === 'run' && field === 'command') return { ...base, head: null, body: 'command' };
  if (kind === 'write' && REMOVED.includes(field)) return { ...base, head, body: 'removed' };
  if (kind === 'write' && ADDED.includes(field)) return { ...base, head, body: 'added' };
  if (PATHS.includes(field)) return { ...base, head: null, body: 'code' };
  return { ...base, head, body: 'output' };
}

function outputForm({ tool_name, call }: Shown): HitForm {
  const kind = toolKind(tool_name);
  const failure = failureOf(call);
  return {
    color: failure === null ? COLORS[kind] : 'error',
    label: `${tool_name ?? 'Tool'} output`,
    head: headOf(kind, call?.subject ?? ''),
    body: kind === 'read' ? 'code' : 'output',
    failure,
  };
}

function headOf(kind: ToolKind, subject: string): HitForm['head'] {
  if (subject === '') return null;
  const form =
    kind === 'run' ? 'command' : subject.includes('/') && kind !== 'web' && kind !== 'agent' ? 'file' : 'text';
  return { form, text: subject };
}

function failureOf(call: Shown['call']): string | null {
  if (call === null || call.status === 'ok' || call.status === 'success') return null;
  if (call.exit_code !== null && call.exit_code !== 0) return `exit ${call.exit_code}`;
  return ['error', 'denied', 'interrupted'].includes(call.status) ? call.status : null;
}
