/** Reports a secret: its kind, start and end. */
export type Report = (kind: string, start: number, end: number) => void;

/** One way to find secrets in a text. Must run in linear time. */
export type Detect = (text: string, report: Report) => void;

/** A secret in a text. `rank` is the position of its detector: where two overlap, the lower one names the kind. */
export interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** The replacement for a secret. Equal for equal kinds, and no detector matches it. */
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

/** Joins overlapping spans, so that no part of a secret survives between two matches. */
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

/** Replaces each of the merged spans. */
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
