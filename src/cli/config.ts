import { OPTIONS, type OptionKey } from '../config.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { renderTable } from './table.ts';

export const command: Command = {
  name: 'config',
  about: 'List all options, their values and where they come from.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code config', 'What is set, and by whom.'],
    ['FUEL_CODE_HOME=/data/fuel fuel-code config --json', 'Try a setting.'],
  ],
  run: async ({ loaded, terminal }, args) => {
    const rows = (Object.keys(OPTIONS) as OptionKey[]).map((key) => {
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
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else {
      terminal.out(
        renderTable(
          terminal,
          [
            { title: 'OPTION', text: ({ key }) => key },
            { title: 'ENVIRONMENT', text: ({ env }) => env },
            { title: 'FROM', text: ({ source }) => source },
            { title: 'VALUE', grows: true, text: ({ value }) => (value === null ? '(not set)' : String(value)) },
          ],
          rows,
        ),
      );
    }
  },
};
