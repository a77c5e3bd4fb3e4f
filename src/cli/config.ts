import { isOption, OPTIONS, type OptionKey, unknownOption, writeOption } from '../config.ts';
import { visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import type { Command, CommandContext, ParsedArguments } from './command.ts';
import { csvRows, LIST_OPTIONS, printCsv, printJson, printLine, readFormat } from './output.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'config',
  about: 'Show all settings with their values and sources, or change one in config.json.',
  actions: { get: 'KEY', set: 'KEY VALUE', unset: 'KEY' },
  options: { ...LIST_OPTIONS },
  examples: [
    ['fuel-code config', 'Show all settings and where each value comes from.'],
    ['fuel-code config get port', 'Show one setting.'],
    ['fuel-code config set port 8080', 'Change a setting in config.json in the data folder.'],
    ['fuel-code config unset port', 'Remove a setting from config.json.'],
    ['FUEL_CODE_HOME=/data/fuel fuel-code config --json', 'Show the configuration of another data folder.'],
  ],
  run: async (context, args) => {
    const [action, key = ''] = args.positionals;
    if (action === undefined) return show(context, args, Object.keys(OPTIONS) as OptionKey[]);
    if (action !== 'get') return change(context, args, key);
    if (!isOption(key)) throw unknownOption(key);
    return show(context, args, [key]);
  },
};

function change({ terminal, configFile }: CommandContext, { positionals, flags }: ParsedArguments, key: string): void {
  const [, , value = null] = positionals;
  const isChanged = writeOption(configFile, key, value);
  if (flags.has('json')) return printJson(terminal, { key, file: configFile });
  if (!isChanged) return printLine(terminal, `${key} is not set in ${configFile}.`);
  printLine(terminal, value === null ? `Removed ${key} from ${configFile}.` : `Set ${key} in ${configFile}.`);
}

async function show(context: CommandContext, args: ParsedArguments, keys: readonly OptionKey[]): Promise<void> {
  const { loaded, terminal } = context;
  const rows = keys.map((key): OptionRow => {
    const option = OPTIONS[key];
    const value = loaded.config[key];
    const isHidden = 'secret' in option && value !== null;
    return {
      key,
      env: option.env,
      value: isHidden ? '(hidden)' : value,
      source: loaded.sources[key],
      about: option.about,
    };
  });
  const format = readFormat(args);
  if (format === 'json') printJson(terminal, { options: rows });
  else if (format === 'csv') await printCsv(context, args, csvRows(CSV_COLUMNS, rows));
  else {
    const columns = Math.max(...rows.map(({ key }) => key.length)) + 2;
    for (const row of rows) terminal.out(`${render(terminal, row, columns)}\n`);
  }
}

type OptionValue = string | number | boolean | null | readonly string[];

interface OptionRow {
  readonly key: string;
  readonly env: string;
  readonly value: OptionValue;
  readonly source: string;
  readonly about: string;
}

const CSV_COLUMNS = ['key', 'env', 'value', 'source', 'about'] as const;

function render(terminal: Terminal, { key, env, value, source }: OptionRow, columns: number): string {
  const text = `${visibleLine(valueText(value))}  (${source === 'environment' ? env : source})`;
  return wrapWidth(`${key.padEnd(columns)}${text}`, terminal.columns);
}

function valueText(value: OptionValue): string {
  if (value === null) return '(not set)';
  if (value === '') return '(empty)';
  return Array.isArray(value) ? value.join(', ') || '(none)' : String(value);
}
