/** Finds many fixed strings in one pass over a text. */
export type AnchorScan<T> = (text: string, visit: (at: number, anchor: string, value: T) => number | null) => void;

interface Anchor<T> {
  readonly text: string;
  readonly value: T;
}

const ASCII = 128;

/**
 * Indexes anchors by their first two characters, so one lookup per position rules out nearly all of them. `visit` may
 * return the position to continue from. Anchors have at least two characters, all ASCII.
 */
export function createAnchorScan<T>(
  anchors: Iterable<readonly [anchor: string, value: T]>,
  { ignoreCase = false } = {},
): AnchorScan<T> {
  const table: (Anchor<T>[] | undefined)[] = Array.from({ length: ASCII * ASCII });
  for (const [text, value] of anchors) {
    for (const slot of slotsOf(text, ignoreCase)) table[slot] = [...(table[slot] ?? []), { text, value }];
  }
  const isAt = (text: string, anchor: string, at: number) =>
    ignoreCase ? text.slice(at, at + anchor.length).toLowerCase() === anchor : text.startsWith(anchor, at);
  return (text, visit) => {
    let second = text.charCodeAt(0);
    for (let at = 0; at < text.length - 1; at++) {
      const first = second;
      second = text.charCodeAt(at + 1);
      if (first >= ASCII || second >= ASCII) continue;
      const list = table[first * ASCII + second];
      if (list === undefined) continue;
      let next = at;
      for (const { text: anchor, value } of list) {
        if (isAt(text, anchor, at)) next = Math.max(next, visit(at, anchor, value) ?? at);
      }
      if (next <= at) continue;
      at = next - 1;
      second = text.charCodeAt(next);
    }
  };
}

function slotsOf(anchor: string, ignoreCase: boolean): readonly number[] {
  const [first = '', second = ''] = anchor;
  const cases = (char: string) => (ignoreCase ? [...new Set([char.toLowerCase(), char.toUpperCase()])] : [char]);
  return cases(first).flatMap((a) => cases(second).map((b) => a.charCodeAt(0) * ASCII + b.charCodeAt(0)));
}
