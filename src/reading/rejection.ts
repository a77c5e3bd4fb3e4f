const REJECTED = /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)/;
const INTERRUPTED = /^\[Request interrupted by user[^\n]{0,40}\]\s*$/;
const WORDS = /(?:the user said:|The user provided the following reason for the rejection:)\s*/;

/**
 * The user's words when denying or interrupting a call; empty if there are none. Null for any other text. The rest of the
 * text is an instruction for the model.
 */
export function rejectionWords(output: string): string | null {
  const text = output.trimStart();
  if (INTERRUPTED.test(text)) return '';
  if (!REJECTED.test(text)) return null;
  const match = WORDS.exec(text);
  return match === null ? '' : text.slice(match.index + match[0].length).trim();
}
