/** Average share of the type size that a character is wide, for the page's sans-serif. */
const NARROW = 0.52;
const WIDE = 1.05;
const ELLIPSIS = '…';

/** Cuts a text to a width in SVG, where the browser does not. An estimate: the text must also be clipped. */
export function fitText(text: string, widthPx: number, typePx: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += ((character.codePointAt(0) ?? 0) >= 0x1100 ? WIDE : NARROW) * typePx;
    if (used > widthPx) return text.slice(0, Math.max(end - 1, 0)).trimEnd() + ELLIPSIS;
    end += character.length;
  }
  return text;
}
