const REJECTED = /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)/;
const WORDS = /(?:the user said:|The user provided the following reason for the rejection:)\s*/;

/**
 * What the user said when denying a call; empty if nothing. Null if the text is not such a denial. The rest of the text
 * is an instruction for the model.
 */
export function rejectionWords(output: string): string | null {
  const text = output.trimStart();
  if (!REJECTED.test(text)) return null;
  const match = WORDS.exec(text);
  return match === null ? '' : text.slice(match.index + match[0].length).trim();
}
