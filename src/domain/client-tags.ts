/** The text between `<name>` and `</name>`. */
export function taggedText(text: string, name: string): string | null {
  const start = text.indexOf(`<${name}>`);
  if (start < 0) return null;
  const from = start + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return text.slice(from, end < 0 ? undefined : end).trim();
}

/** What the client writes around the name and the arguments of a command; a `command-message` repeats the name. */
export const COMMAND_TAG = /<command-message>[^<]*<\/command-message>\s*|<\/?(?:command-[a-z]+|bash-input)>/g;

export function isTaggedCommand(text: string): boolean {
  return /^\s*<(?:bash-input|command-)/.test(text);
}

/** `/review src` or `! npm test` without the tags that the client writes; other text is unchanged. */
export function commandText(text: string): string {
  if (!isTaggedCommand(text)) return text;
  const bash = taggedText(text, 'bash-input');
  if (bash !== null) return `! ${bash}`;
  const name = taggedText(text, 'command-name');
  if (name === null) return text;
  return `${name} ${taggedText(text, 'command-args') ?? ''}`.trim();
}

/** What a notification about a background task says in one line; other text is unchanged. */
export function notificationText(text: string): string {
  if (!/^\s*<task-notification>/.test(text)) return text;
  return taggedText(text, 'summary') ?? taggedText(text, 'status') ?? text;
}

const OUTPUT_TAGS = [
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  'local-command-caveat',
];

/** The output of a command without its tags; a text that only mentions such tags stays as it is. */
export function outputText(text: string): string {
  if (!/^\s*<(?:local-command-|bash-)/.test(text)) return text;
  const parts = OUTPUT_TAGS.map((name) => outputIn(text, name)).filter((part) => part !== null);
  return parts.length === 0 ? text : parts.filter((part) => part !== '').join('\n');
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&amp;', '&'],
]);

/** The client escapes the output of `!` commands, and no other. */
function outputIn(text: string, name: string): string | null {
  const output = taggedText(text, name);
  if (output === null || !name.startsWith('bash-')) return output;
  return output.replaceAll(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => ENTITIES.get(entity) ?? entity);
}

const SCHEDULED = /^\s*<scheduled-task\s[^>]{0,500}>\s*/;

/** A prompt without the tag that the client puts around a scheduled one. */
export function withoutTaskTag(text: string): string {
  return SCHEDULED.test(text) ? text.replace(SCHEDULED, '').replace(/\s*<\/scheduled-task>\s*$/, '') : text;
}

/** A slash command. Some go to the model, others only concern the client. */
interface SlashCommand {
  /** With its slash. */
  readonly name: string;
  readonly args: string;
}

/** The command in the tags that the client writes; null for any other text. */
export function slashCommandIn(text: string): SlashCommand | null {
  if (!/^\s*<command-/.test(text)) return null;
  const name = taggedText(text, 'command-name')?.split(/\s/, 1)[0];
  if (!name) return null;
  return { name: name.startsWith('/') ? name : `/${name}`, args: taggedText(text, 'command-args') ?? '' };
}

/** The command as typed: `/review 123`. */
export function commandLine({ name, args }: SlashCommand): string {
  return `${name} ${args}`.trim();
}

/** Commands that the client executes itself. All others, including custom commands, go to the model. */
const CLIENT_COMMANDS: ReadonlySet<string> = new Set(
  (
    'add-dir agents allowed-tools android app approved-tools background bashes branch bug cd checkpoint chrome clear color compact ' +
    'config context continue copy cost desktop diff disable doctor effort enable exit export extra-usage fast feedback files focus ' +
    'fork heapdump help hooks ide install install-github-app install-slack-app ios keybindings listen login logout logs mcp ' +
    'memory migrate-installer mobile model new output-style passes permissions plugin plugins privacy-settings quit rate-limit-options ' +
    'recap release-notes reload-plugins remote-control remote-env rename reset reset-limits resume rewind sandbox scroll-speed ' +
    'session settings share skills stats status statusline-setup stickers stop tag tasks teleport terminal-setup theme ' +
    'think-back todos tokens tui undo update upgrade usage version vim voice web-setup'
  ).split(' '),
);

export function isClientCommand({ name }: SlashCommand): boolean {
  return CLIENT_COMMANDS.has(name.slice(1).toLowerCase());
}
