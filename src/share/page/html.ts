const OURS = Symbol('ours');

/** Markup from our own source code. The private symbol ensures that no external value can pass for it. */
export interface Html {
  readonly [OURS]: string;
}

export type Content = string | number | null | Html | readonly Content[];

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
