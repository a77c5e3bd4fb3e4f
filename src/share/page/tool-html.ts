import type { BlockRow } from '../../api/answers/transcript.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { plural } from '../../reading/format.ts';
import { diffEdits, type DiffLine, type Edit } from '../../reading/diff.ts';
import { editsOf, inputField, showToolName, sizeOfChange, summariseInput } from '../../reading/tool-input.ts';
import { callOutcome } from '../../reading/tool-outcome.ts';
import { type Html, html } from './html.ts';
import { code } from './markdown-html.ts';
import { restOf } from './message-html.ts';

export interface ShownCall {
  readonly block: BlockRow;
  /** Null when the transcript has none, or none near. */
  readonly result: BlockRow | null;
  /** The working directory: files in it are told without it. */
  readonly cwd: string | null;
}

/** A call as one line that opens. */
export function toolCall({ block, result, cwd }: ShownCall): Html {
  const { tool_name, tool_input } = block;
  const { words, isFailure } = callOutcome(block, result);
  const mark = words || sizeOfChange(tool_input);
  return html`<details class="${isFailure ? 'tool bad' : 'tool'}"><summary>${[
    html`<span class="name">${showToolName(tool_name)}</span>`,
    html`<bdi class="about">${summariseInput(tool_name, tool_input, cwd)}</bdi>`,
    mark === null ? null : html`<span class="mark">${mark}</span>`,
  ]}</summary><div class="body">${[inputOf(tool_input), result === null ? null : resultOf(result)]}</div></details>\n`;
}

/** A result whose call is not near it. */
export function looseResult(block: BlockRow): Html {
  return html`<details class="tool"><summary><span class="name">Result</span></summary><div class="body">${resultOf(block)}</div></details>\n`;
}

/** What was asked of the tool in its own form: a change as a change, a command as a command. */
function inputOf(input: JsonValue | null): Html | null {
  const changes = editsOf(input);
  if (changes.length > 0) return diff(changes);
  const spoken = ['command', 'prompt', 'content', 'plan'].map((name) => inputField(input, name));
  const text = spoken.find((each) => each !== null) ?? (input === null ? '' : JSON.stringify(input, null, 2));
  return text === '' ? null : code(text);
}

const MAX_DIFF_LINES = 2_000;
const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'same' } as const;

function diff(edits: readonly Edit[]): Html {
  const { lines } = diffEdits(edits);
  const rest = lines.length - MAX_DIFF_LINES;
  const shown = lines.slice(0, MAX_DIFF_LINES).map(diffLine);
  return html`<pre class="code diff">${shown}${rest > 0 ? `… ${plural(rest, 'more line')}` : null}</pre>`;
}

function diffLine({ mark, text, parts }: DiffLine): Html {
  const words = parts?.map((part) => (part.isChanged ? html`<strong>${part.text}</strong>` : html`${part.text}`));
  return html`<span class="${CLASSES[mark]}">${`${mark} `}${words ?? text}</span>`;
}

function resultOf({ result_text, content_text, is_error, metadata }: BlockRow): Html {
  const text = result_text ?? content_text ?? '';
  if (text === '') return html`<p class="muted">No output.</p>`;
  const shown = html`<pre class="${is_error === true ? 'code output failed' : 'code output'}" dir="auto">${text}</pre>`;
  return html`${shown}${restOf(metadata)}`;
}
