/** The client writes commands and their output into a text between tags. */

/** What stands between `<name>` and `</name>`. */
function taggedText(text: string, name: string): string | null {
  const start = text.indexOf(`<${name}>`);
  if (start < 0) return null;
  const from = start + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return text.slice(from, end < 0 ? undefined : end);
}

/** `/review src` or `! npm test` out of the tags around it. */
export function commandText(text: string): string {
  const bash = taggedText(text, 'bash-input');
  if (bash !== null) return `! ${bash.trim()}`;
  const name = taggedText(text, 'command-name');
  if (name === null) return text;
  return `${name.trim()} ${taggedText(text, 'command-args')?.trim() ?? ''}`.trim();
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
  return parts.length === 0 ? text : parts.filter((part) => part.trim() !== '').join('\n');
}
