/** The client writes commands and their output into a text between tags. */

/** The text between `<name>` and `</name>`. */
export function taggedText(text: string, name: string): string | null {
  const start = text.indexOf(`<${name}>`);
  if (start < 0) return null;
  const from = start + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return text.slice(from, end < 0 ? undefined : end).trim();
}

/** `/review src` or `! npm test` out of the tags around it; a text that only mentions such tags stays as it is. */
export function commandText(text: string): string {
  if (!/^\s*<(?:bash-input|command-)/.test(text)) return text;
  const bash = taggedText(text, 'bash-input');
  if (bash !== null) return `! ${bash}`;
  const name = taggedText(text, 'command-name');
  if (name === null) return text;
  return `${name} ${taggedText(text, 'command-args') ?? ''}`.trim();
}

const OUTPUT_TAGS = [
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  'local-command-caveat',
];

/** The output of a command without its tags. */
export function outputText(text: string): string {
  const parts = OUTPUT_TAGS.map((name) => taggedText(text, name)).filter((part) => part !== null);
  return parts.length === 0 ? text : parts.filter((part) => part !== '').join('\n');
}

const SCHEDULED = /^\s*<scheduled-task\s[^>]{0,500}>\s*/;

/** A prompt without the tag that the client puts around a scheduled one. */
export function withoutTaskTag(text: string): string {
  return SCHEDULED.test(text) ? text.replace(SCHEDULED, '').replace(/\s*<\/scheduled-task>\s*$/, '') : text;
}
