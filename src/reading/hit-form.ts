import type { FoundSession, SearchHit } from '../api/search.ts';
import { COMMAND_TAG, isTaggedCommand } from '../domain/client-tags.ts';
import type { PlaceKind } from '../domain/search.ts';
import { TEAMMATE_TAG } from '../domain/teammate-message.ts';
import { TOOL_COLORS, type ToolKind, toolKind } from './kinds.ts';

/** How a hit is drawn, depending on its kind. */
export interface HitForm {
  /** The color of the hit, as everywhere on the page. */
  readonly color: 'human' | 'model' | 'read' | 'write' | 'run' | 'web' | 'agent' | 'system' | 'error';
  readonly label: string;
  /** The command, file or other subject above the text; null if the text needs none. */
  readonly head: { readonly form: 'command' | 'file' | 'text'; readonly text: string } | null;
  readonly body: 'prose' | 'quote' | 'command' | 'output' | 'added' | 'removed' | 'code';
  /** How a call ended, if it failed: `exit 1`, `denied`. */
  readonly failure: string | null;
}

type Shown = Pick<SearchHit, 'kind' | 'tool_name' | 'input_field' | 'call' | 'snippet'>;

/** The text of a hit with its highlights, without the tags around a command or a message of a teammate. */
export function hitText({
  snippet,
  highlights,
}: Pick<SearchHit, 'snippet' | 'highlights'>): Pick<SearchHit, 'snippet' | 'highlights'> {
  const hidden = isTaggedCommand(snippet) ? COMMAND_TAG : TEAMMATE_TAG;
  const tags = Array.from(snippet.matchAll(hidden), ({ 0: tag, index }) => [index, index + tag.length] as const);
  if (tags.length === 0) return { snippet, highlights };
  const moved = (at: number) => at - tags.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(at, to) - from), 0);
  return {
    snippet: snippet.replaceAll(hidden, '').trimEnd(),
    highlights: highlights.map(([from, to]) => [moved(from), moved(to)] as const).filter(([from, to]) => to > from),
  };
}

export function hitForm(hit: Shown): HitForm {
  if (hit.kind === 'prompt' && hit.snippet.search(TEAMMATE_TAG) !== -1) return TEAMMATE_FORM;
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

const TEAMMATE_FORM: HitForm = { color: 'agent', label: 'Teammate', head: null, body: 'quote', failure: null };

/** Inputs that hold the text before and after a change. */
const REMOVED = ['old_string', 'old_str'];
const ADDED = ['new_string', 'new_str', 'content', 'new_source', 'edits', 'file_text'];
const PATHS = ['file_path', 'notebook_path', 'path'];

function inputForm(hit: Shown): HitForm {
  const { tool_name, input_field, call } = hit;
  const kind = toolKind(tool_name);
  const base = { color: TOOL_COLORS[kind], label: tool_name ?? 'Tool call', failure: failureOf(call) };
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
    color: failure === null ? TOOL_COLORS[kind] : 'error',
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

/** The sessions of several pages; matches of the same session on a later page are added to it. */
export function mergeFound(pages: readonly { readonly sessions: readonly FoundSession[] }[]): readonly FoundSession[] {
  const byId = new Map<string, FoundSession>();
  for (const session of pages.flatMap(({ sessions }) => sessions)) {
    const known = byId.get(session.session_id);
    byId.set(
      session.session_id,
      known === undefined
        ? session
        : { ...known, places: known.places + session.places, hits: [...known.hits, ...session.hits] },
    );
  }
  return [...byId.values()];
}
