/** Reports a secret: what kind it is and where it begins and ends. */
export type Report = (kind: string, start: number, end: number) => void;

/** One way to find secrets in a text. It must take time in proportion to the length of the text. */
export type Detect = (text: string, report: Report) => void;

/** A secret in a text. `rank` is the order of its detector: where two overlap, the lower one names the kind. */
export interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** Has no meaning of its own: the same kind gives the same text, and no detector sees a secret in it. */
export function placeholder(kind: string): string {
  return `[secret:${kind}]`;
}

export function findSpans(text: string, detectors: readonly Detect[]): Span[] {
  const spans: Span[] = [];
  for (const [rank, detect] of detectors.entries()) {
    detect(text, (kind, start, end) => {
      if (end > start) spans.push({ kind, start, end, rank });
    });
  }
  return spans;
}

/** Overlapping spans become one, so that no part of a secret survives between two finds. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    const { kind, rank } = span.rank < last.rank ? span : last;
    merged[merged.length - 1] = { kind, rank, start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

/** The text with each of the merged spans replaced. */
export function replaceSpans(text: string, spans: readonly Span[], replacement: (kind: string) => string): string {
  if (spans.length === 0) return text;
  let result = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    result += text.slice(from, start) + replacement(kind);
    from = end;
  }
  return result + text.slice(from);
}
