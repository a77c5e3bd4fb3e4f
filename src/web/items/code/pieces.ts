import type { DiffLine } from '../../../reading/diff.ts';
import type { Token, TokenKind } from './highlight.ts';

/** Part of a line with one look. */
export interface Piece {
  readonly text: string;
  readonly kind: TokenKind | null;
  readonly isChanged: boolean;
}

/** Cuts a line wherever a token or a changed word begins or ends. */
export function piecesOf({ text, parts }: Pick<DiffLine, 'text' | 'parts'>, tokens: readonly Token[] | null): Piece[] {
  const looks = parts ?? [{ text, isChanged: false }];
  // Tokens of another text would show that text: the highlighter can drop characters that it cannot read.
  const isSame = tokens !== null && tokens.map(([, each]) => each).join('') === text;
  const colors = isSame ? tokens : [[null, text] as const];
  const pieces: Piece[] = [];
  let [color, usedOfColor] = [0, 0];
  for (const { text: part, isChanged } of looks) {
    for (let at = 0; at < part.length; ) {
      const [kind, whole] = colors[color] ?? [null, part];
      const length = Math.min(part.length - at, whole.length - usedOfColor);
      if (length > 0) pieces.push({ text: part.slice(at, at + length), kind, isChanged });
      at += length;
      usedOfColor += length;
      if (usedOfColor >= whole.length) [color, usedOfColor] = [color + 1, 0];
    }
  }
  return pieces;
}
