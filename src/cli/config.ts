import { OPTIONS, type OptionKey } from '../config.ts';
import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import type { Command } from './command.ts';
import { printCsv } from './csv-output.ts';
import { printJson } from './json.ts';
import { csvRows, LIST_OPTIONS, readFormat } from './list.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'config',
  about: 'List all options, their values and where they come from.',
  options: { ...LIST_OPTIONS },
  examples: [
    ['fuel-code config', 'Current values and where each one comes from.'],
    ['FUEL_CODE_HOME=/data/fuel fuel-code config --json', 'Try a setting.'],
  ],
  run: async (context, args) => {
    const { loaded, terminal } = context;
    const rows: readonly OptionRow[] = (Object.keys(OPTIONS) as OptionKey[]).map((key) => {
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
    else for (const row of rows) terminal.out(`${render(terminal, row)}\n`);
  },
};

type OptionValue = string | number | boolean | null | readonly string[];

interface OptionRow {
  readonly key: string;
  readonly env: string;
  readonly value: OptionValue;
  readonly source: string;
  readonly about: string;
}

const CSV_COLUMNS = ['key', 'env', 'value', 'source', 'about'] as const;
const KEY_COLUMNS = 24;

function render(terminal: Terminal, { key, env, value, source }: OptionRow): string {
  const text = `${visibleLine(valueText(value))}  (${source === 'environment' ? env : source})`;
  return wrapWidth(`${key.padEnd(KEY_COLUMNS)}${text}`, terminal.columns);
}

function valueText(value: OptionValue): string {
  if (value === null) return '(not set)';
  return Array.isArray(value) ? value.join(', ') || '(none)' : String(value);
}
