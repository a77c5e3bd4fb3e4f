import { OPTIONS, type OptionKey } from '../config.ts';
import { textWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import type { Command } from './command.ts';
import { LIST_OPTIONS, printList, readFormat } from './list.ts';
import type { Column } from './table.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'config',
  about: 'List all options, their values and where they come from.',
  options: { ...LIST_OPTIONS },
  examples: [
    ['fuel-code config', 'What is set, and by whom.'],
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
    const list = { name: 'options', rows, columns: COLUMNS, csv: CSV_COLUMNS, empty: '' };
    await printList(context, args, list);
    if (readFormat(args) === 'text') for (const row of rows) printLongValue(terminal, row);
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
const MAX_VALUE_COLUMNS = 24;

const COLUMNS: readonly Column<OptionRow>[] = [
  { title: 'OPTION', text: ({ key }) => key },
  { title: 'ENVIRONMENT', fromColumns: 90, text: ({ env }) => env },
  { title: 'FROM', text: ({ source }) => source },
  { title: 'VALUE', grows: true, text: ({ value }) => (isLong(value) ? '(see below)' : valueText(value)) },
];

function valueText(value: OptionValue): string {
  return value === null ? '(not set)' : Array.isArray(value) ? value.join(', ') : String(value);
}

/** A value that a table would cut is printed in full below it. */
function isLong(value: OptionValue): boolean {
  return textWidth(valueText(value)) > MAX_VALUE_COLUMNS;
}

function printLongValue(terminal: Terminal, { key, value }: OptionRow): void {
  if (isLong(value)) terminal.out(`${key} = ${visibleLine(valueText(value))}\n`);
}
