import {
  INLINE_CODE,
  type ListItem,
  MAX_MARKDOWN_CHARS,
  type MarkdownBlock,
  parseInline,
  parseMarkdown,
  splitFences,
} from '../../reading/markdown.ts';

const OURS = Symbol('ours');

/** Markup from our own source code. The private symbol ensures that no external value can pass for it. */
export interface Html {
  readonly [OURS]: string;
}

type Content = string | number | null | Html | readonly Content[];

/** A markup template: every value that is not `Html` itself is escaped. */
export function html(markup: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const pieces = markup.map((piece, at) => piece + markupOf(contents[at] ?? null));
  return { [OURS]: pieces.join('') };
}

/** Text of our own source that must not be escaped: a style sheet. */
export function ownMarkup(markup: string): Html {
  return { [OURS]: markup };
}

export function markupOf(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeText(content);
  return OURS in content ? content[OURS] : content.map(markupOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Invisible characters that reorder or join visible ones: written as entities, so that the source of the file is
 * readable.
 */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
    .replaceAll(CONTROLS, '\ufffd')
    .replaceAll(UNSEEN, (char) => `&#x${char.codePointAt(0)?.toString(16)};`);
}

/** Renders text written by the model. */
export function markdown(text: string): Html {
  const blocks = parseMarkdown(text.slice(0, MAX_MARKDOWN_CHARS));
  return html`<div class="md" dir="auto">${blocks.map(block)}${restOf(text)}</div>`;
}

/** Renders text typed by a person: unchanged except for code. */
export function typedText(text: string): Html {
  const blocks = splitFences(text.slice(0, MAX_MARKDOWN_CHARS));
  const shown = blocks.map((each) => {
    if (each.kind === 'code') return code(each.text);
    return 'text' in each ? html`<p>${withCode(each.text)}</p>` : null;
  });
  return html`<div class="typed" dir="auto">${shown}${restOf(text)}</div>`;
}

function restOf(text: string): Html | null {
  return text.length > MAX_MARKDOWN_CHARS ? code(text.slice(MAX_MARKDOWN_CHARS)) : null;
}

export function code(text: string): Html {
  return html`<pre class="code" dir="auto">${text}</pre>`;
}

function inlines(text: string): readonly Html[] {
  return parseInline(text).map((part) => {
    if (part.kind === 'code') return html`<code>${part.text}</code>`;
    if (part.kind === 'strong') return html`<strong>${withCode(part.text)}</strong>`;
    if (part.kind === 'struck') return html`<s>${withCode(part.text)}</s>`;
    return part.kind === 'emphasis' ? html`<em>${withCode(part.text)}</em>` : html`${part.text}`;
  });
}

function withCode(text: string): readonly Html[] {
  return parseInline(text, INLINE_CODE).map((part) =>
    part.kind === 'code' ? html`<code>${part.text}</code>` : html`${part.text}`,
  );
}

function block(given: MarkdownBlock): Html {
  switch (given.kind) {
    case 'paragraph':
      return html`<p>${inlines(given.text)}</p>`;
    case 'heading':
      return html`<p class="${given.level <= 2 ? 'h2' : 'h3'}">${inlines(given.text)}</p>`;
    case 'code':
      return code(given.text);
    case 'quote':
      return html`<blockquote>${inlines(given.text)}</blockquote>`;
    case 'list':
      return html`<ul>${given.items.map(item)}</ul>`;
    case 'table':
      return table(given.rows);
    case 'rule':
      return html`<hr>`;
    default:
      return given satisfies never;
  }
}

const MAX_LIST_DEPTH = 4;

function item({ depth, marker, text, isChecked }: ListItem): Html {
  const shown = isChecked === null ? (/\d/.test(marker) ? marker : '•') : isChecked ? '☑' : '☐';
  return html`<li class="depth-${Math.min(depth, MAX_LIST_DEPTH)}"><span>${shown}</span><div>${inlines(text)}</div></li>`;
}

function table([head = [], ...body]: readonly (readonly string[])[]): Html {
  const cells = (row: readonly string[]) => row.map((cell) => html`<td>${inlines(cell)}</td>`);
  const heads = head.map((cell) => html`<th>${inlines(cell)}</th>`);
  const rows = body.map((row) => html`<tr>${cells(row)}</tr>`);
  return html`<div class="wide"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
