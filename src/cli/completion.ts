import { quoteShell } from '../lib/shell-word.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { shortId, titleOf } from '../reading/names.ts';
import type { Command, CommandContext } from './command.ts';

const SHELLS = { bash, zsh, fish } as const;
const MAX_IDS = 200;
const TITLE_COLUMNS = 60;

export const command: Command = {
  name: 'completion',
  about: 'Print a script that completes commands, options and session ids in your shell.',
  actions: { bash: '', zsh: '', fish: '', ids: '' },
  minOperands: 1,
  options: {},
  examples: [
    ['fuel-code completion bash >> ~/.bashrc', 'Install for bash.'],
    ['fuel-code completion zsh > "${fpath[1]}/_fuel-code"', 'Install for zsh.'],
    ['fuel-code completion fish > ~/.config/fish/completions/fuel-code.fish', 'Install for fish.'],
    ['fuel-code completion ids', 'Print recent session ids and titles (used by the scripts).'],
  ],
  run: async (context, args) => {
    const [shell] = args.positionals;
    if (shell === 'ids') return printIds(context);
    const commands = await context.listCommands();
    context.terminal.out(SHELLS[shell as keyof typeof SHELLS](commands));
  },
};

/** Reads the store without importing, so that pressing Tab does not wait for an import. */
async function printIds({ openApp, terminal }: CommandContext): Promise<void> {
  await using app = await openApp();
  const { sessions } = await app.get('/sessions', { query: { limit: MAX_IDS } });
  for (const session of sessions) {
    terminal.out(
      `${shortId(session.id)}\t${fitWidth(visibleLine(titleOf(session)), TITLE_COLUMNS).replaceAll(':', ' ')}\n`,
    );
  }
}

function takesId({ operands = '' }: Command): boolean {
  return /\bid\b/.test(operands);
}

function optionsOf({ options }: Command): readonly string[] {
  return [...Object.keys(options), 'help'].map((name) => `--${name}`);
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((each) => `    ${each.name}) options="${optionsOf(each).join(' ')}" ;;`);
  return `# fuel-code completion for bash
_fuel_code() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(commands, (values) => `COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$word")); return`)}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "\${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $COMP_CWORD" in
${actionCases(commands, 2, (actions) => `COMPREPLY=($(compgen -W "${actions.join(' ')}" -- "$word")); return`)}
  esac
  case "\${COMP_WORDS[1]}" in
    ${idCommands(commands).join('|')}) COMPREPLY=($(compgen -W "$(fuel-code completion ids 2>/dev/null | cut -f1)" -- "$word")) ;;
  esac
}
complete -o default -F _fuel_code fuel-code
`;
}

/** Completions of options with a fixed list of values, one line per list. */
function valueCases(commands: readonly Command[], then: (values: readonly string[]) => string): string {
  const options = commands.flatMap(({ name, options: own }) =>
    Object.entries(own).flatMap(([option, { values }]) =>
      values === undefined ? [] : [{ pattern: `"${name} --${option}"`, action: then(values) }],
    ),
  );
  const lines = [...Map.groupBy(options, ({ action }) => action)];
  return lines.map(([action, same]) => `    ${same.map(({ pattern }) => pattern).join('|')}) ${action} ;;`).join('\n');
}

/** Completions of actions, which follow the command at this position. */
function actionCases(
  commands: readonly Command[],
  position: number,
  then: (actions: readonly string[]) => string,
): string {
  return commands
    .flatMap(({ name, actions }) =>
      actions === undefined ? [] : [`    "${name} ${position}") ${then(Object.keys(actions))} ;;`],
    )
    .join('\n');
}

function idCommands(commands: readonly Command[]): readonly string[] {
  return commands.filter(takesId).map(({ name }) => name);
}

function zsh(commands: readonly Command[]): string {
  const names = commands.map(({ name, about }) => `    ${quoteShell(`${name}:${about}`)}`);
  const cases = commands.map(
    (each) => `    ${each.name}) options=(${describedOptions(each).map(quoteShell).join(' ')}) ;;`,
  );
  return `#compdef fuel-code
# fuel-code completion for zsh
_fuel_code() {
  local -a commands options ids
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${valueCases(commands, (values) => `compadd -- ${values.join(' ')}; return`)}
  esac
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe option options
    return
  fi
  case "\${words[2]} $CURRENT" in
${actionCases(commands, 3, (actions) => `compadd -- ${actions.join(' ')}; return`)}
  esac
  case "\${words[2]}" in
    ${idCommands(commands).join('|')})
      ids=("\${(@f)$(fuel-code completion ids 2>/dev/null | tr '\\t' ':')}")
      _describe session ids ;;
    *) _files ;;
  esac
}
compdef _fuel_code fuel-code
`;
}

function describedOptions({ options }: Command): readonly string[] {
  return [...Object.entries(options), ['help', { about: 'Show help.' }] as const].map(
    ([name, { about }]) => `--${name}:${about}`,
  );
}

function fish(commands: readonly Command[]): string {
  const line = (words: string) => `complete -c fuel-code -f ${words}`;
  const within = (name: string) => `-n ${quoteShell(`__fish_seen_subcommand_from ${name}`)}`;
  const lines = commands.flatMap((each) => [
    line(`-n __fish_use_subcommand -a ${each.name} -d ${quoteShell(each.about)}`),
    ...Object.entries(each.options).map(([name, { short, type, about, values }]) =>
      line(
        `${within(each.name)} -l ${name}${short ? ` -s ${short}` : ''}${type === 'string' ? ' -r' : ''}${values ? ` -a ${quoteShell(values.join(' '))}` : ''} -d ${quoteShell(about)}`,
      ),
    ),
    ...(each.actions ? [line(`${within(each.name)} -a ${quoteShell(Object.keys(each.actions).join(' '))}`)] : []),
    ...(takesId(each) ? [line(`${within(each.name)} -a ${quoteShell('(fuel-code completion ids 2>/dev/null)')}`)] : []),
  ]);
  return `# fuel-code completion for fish\n${lines.join('\n')}\n`;
}
