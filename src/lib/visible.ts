/**
 * All untrusted text passes through here before it reaches the terminal. Control characters are made visible, so that
 * no transcript can move the cursor, rewrite a line, set the title, access the clipboard or change the text direction.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** JSON can escape any of them without loss, so visible format characters such as Arabic number signs are included. */
const UNSAFE_IN_JSON = new RegExp(`${UNSAFE.source}|\\p{Cf}`, 'gu');

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const LAST_C0 = 0x1f;

export function visible(text: string): string {
  return text.toWellFormed().replaceAll(UNSAFE, picture);
}

/** Equivalent JSON without these characters: they only occur inside strings, where they can be escaped. */
export function escapeJson(json: string): string {
  return json.replaceAll(UNSAFE_IN_JSON, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** The same on one line: whitespace is collapsed to single spaces. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/[\s\u0085]+/gu, ' ').trim());
}

function picture(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code <= LAST_C0) return String.fromCharCode(CONTROL_PICTURES + code);
  if (code === DELETE) return '\u2421';
  if (code === 0x200d) return char;
  return `\\u{${code.toString(16)}}`;
}
