import { taggedText } from './client-tags.ts';

/** Slash commands of the client: which ones ask the model for something, and which ones only concern the client. */
export interface SlashCommand {
  /** With its slash. */
  readonly name: string;
  readonly args: string;
}

/** The command that the client wrote between tags; null for any other text. */
export function slashCommandIn(text: string): SlashCommand | null {
  if (!/^\s*<command-/.test(text)) return null;
  const name = taggedText(text, 'command-name')?.split(/\s/, 1)[0];
  if (!name) return null;
  return { name: name.startsWith('/') ? name : `/${name}`, args: taggedText(text, 'command-args') ?? '' };
}

/** As a person typed it: `/review 123`. */
export function commandLine({ name, args }: SlashCommand): string {
  return `${name} ${args}`.trim();
}

/** Commands that the client carries out by itself. Everything else goes to the model, also commands of the user's own. */
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
