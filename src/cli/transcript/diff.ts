/** A line of a difference: left out, put in, or there before and after. */
export interface DiffLine {
  readonly mark: '-' | '+' | ' ';
  readonly text: string;
}

/** Above so many comparisons the middle is shown as replaced as a whole. */
const MAX_COMPARISONS = 250_000;
const CONTEXT_LINES = 2;

/** What changed from one text to the other, with a little of what stands around it. */
export function diffTexts(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const head = countSame(old, fresh, (lines, at) => lines[at]);
  const tail = countSame(old.slice(head), fresh.slice(head), (lines, at) => lines.at(-1 - at));
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: ' ', text }));
  return [
    ...same(old.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...same(old.slice(old.length - tail, old.length - tail + CONTEXT_LINES)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

type Pick = (lines: readonly string[], at: number) => string | undefined;

function countSame(a: readonly string[], b: readonly string[], pick: Pick): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && pick(a, count) === pick(b, count)) count++;
  return count;
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const removed = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: '-', text }));
  const added = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: '+', text }));
  if (old.length * fresh.length > MAX_COMPARISONS) return [...removed(old), ...added(fresh)];
  const lengths = commonLengths(old, fresh);
  const diff: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length && to < fresh.length) {
    const text = old[at] ?? '';
    if (text === fresh[to]) {
      diff.push({ mark: ' ', text });
      at++;
      to++;
    } else if ((lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0)) diff.push(...removed([old[at++] ?? '']));
    else diff.push(...added([fresh[to++] ?? '']));
  }
  return [...diff, ...removed(old.slice(at)), ...added(fresh.slice(to))];
}

/** How many lines the rests of both texts have in common, from every pair of places. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let at = old.length - 1; at >= 0; at--) {
    const [row, below] = [lengths[at] as Uint32Array, lengths[at + 1] as Uint32Array];
    for (let to = fresh.length - 1; to >= 0; to--) {
      row[to] = old[at] === fresh[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return lengths;
}
