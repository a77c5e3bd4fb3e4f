import type { Diff, DiffLine } from '../../reading/diff.ts';
import { plural } from '../../reading/format.ts';
import { diffOf, markOf, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { type Html, html } from './html.ts';
import { code } from './markdown-html.ts';

/** A call as one line that expands. */
export function toolHtml(call: ToolCall): Html {
  const mark = markOf(call);
  return html`<details class="${call.outcome.isError ? 'tool bad' : 'tool'}"><summary>${[
    html`<span class="name">${call.name}</span>`,
    html`<bdi class="about">${call.about}</bdi>`,
    mark === '' ? null : html`<span class="mark">${mark}</span>`,
  ]}</summary><div class="body">${[inputHtml(call), call.result === null ? null : outputHtml(call.result)]}</div></details>\n`;
}

/** A result whose call is not part of the view. */
export function resultHtml(result: ToolResult): Html {
  return html`<details class="tool"><summary><span class="name">Result without its call</span></summary><div class="body">${outputHtml(result)}</div></details>\n`;
}

function inputHtml(call: ToolCall): Html | null {
  const diff = diffOf(call);
  if (diff !== null) return diffHtml(diff);
  const text = viewText(viewOf(call));
  return text === '' ? null : code(text);
}

const MAX_DIFF_LINES = 2_000;
const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'same' } as const;

function diffHtml({ lines }: Diff): Html {
  const rest = lines.length - MAX_DIFF_LINES;
  const shown = lines.slice(0, MAX_DIFF_LINES).map(lineHtml);
  return html`<pre class="code diff">${shown}${rest > 0 ? `… ${plural(rest, 'more line')}` : null}</pre>`;
}

function lineHtml({ mark, text, parts }: DiffLine): Html {
  const words = parts?.map((part) => (part.isChanged ? html`<strong>${part.text}</strong>` : html`${part.text}`));
  return html`<span class="${CLASSES[mark]}">${`${mark} `}${words ?? text}</span>`;
}

function outputHtml({ text, isError, isCut }: ToolResult): Html {
  if (text === '') return html`<p class="muted">No output.</p>`;
  const shown = html`<pre class="${isError ? 'code output failed' : 'code output'}" dir="auto">${text}</pre>`;
  return html`${shown}${cutNote(isCut)}`;
}

/** Rows hold a limited amount of text; the archive has all of it. */
export function cutNote(isCut: boolean): Html | null {
  return isCut ? html`<p class="muted">The rest of this text is omitted.</p>` : null;
}
