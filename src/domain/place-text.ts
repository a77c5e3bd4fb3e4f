/** A place of the index holds at most so much text, so that the positions of its words fit into a tsvector. */
const STRIDE_CHARS = 32_000;
/** What a place repeats of the next one: a phrase that lies across a border is whole in one of them. */
const OVERLAP_CHARS = 512;

export function countParts(text: string): number {
  return Math.max(1, Math.ceil((text.length - OVERLAP_CHARS) / STRIDE_CHARS));
}

/** The text of one part; it begins and ends between words where there is room to choose. */
export function partOf(text: string, part: number): string {
  const from = part === 0 ? 0 : afterSpace(text, part * STRIDE_CHARS);
  const to = (part + 1) * STRIDE_CHARS + OVERLAP_CHARS;
  return text.slice(from, to >= text.length ? text.length : afterSpace(text, to));
}

const MAX_STEP_CHARS = 128;

function afterSpace(text: string, at: number): number {
  for (let next = at; next < at + MAX_STEP_CHARS; next++) {
    if (/\s/.test(text[next] ?? ' ')) return next;
  }
  return at;
}

/** A text as it is searched: of a tool's input its values, one a line, since the engines keep JSON in orders of their own. */
export function searchedText({ text, isJson }: { readonly text: string; readonly isJson: boolean }): string {
  return isJson ? valuesOf(JSON.parse(text)).join('\n') : text;
}

function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, item]) => valuesOf(item));
}
