import type { ToolsQuery } from '../api/usage.ts';
import { DEFAULT_WORK_ROWS, MAX_WORK_ROWS } from '../domain/page-rows.ts';
import { type Command, NO_IMPORT_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, QUERY_OPTION, readFilter, SESSION_OPTION } from './session-filter.ts';
import { openSource, type Source } from './source.ts';
import type { Column } from './table.ts';

interface WorkCommand<T> extends Omit<Command, 'options' | 'run'> {
  readonly empty: string;
  readonly csv: readonly (keyof T & string)[];
  columns(now: Date): readonly Column<T>[];
  list(source: Source, query: ToolsQuery, args: ParsedArguments): Promise<readonly T[]>;
}

const OPTIONS = {
  session: SESSION_OPTION,
  query: QUERY_OPTION,
  ...FILTER_OPTIONS,
  limit: {
    type: 'string',
    short: 'n',
    value: 'N',
    about: `Maximum number of rows (default ${DEFAULT_WORK_ROWS}, at most ${MAX_WORK_ROWS}).`,
  },
  'no-import': NO_IMPORT_OPTION,
  ...LIST_OPTIONS,
  ...REMOTE_OPTIONS,
} as const;

/** A list of tools or files over all sessions, matching sessions or one session. */
export function workCommand<T>({ empty, csv, columns, list, ...command }: WorkCommand<T>): Command {
  return {
    ...command,
    options: OPTIONS,
    run: async (context, args) => {
      const limit = readNumber(args, 'limit', { min: 1, max: MAX_WORK_ROWS, otherwise: DEFAULT_WORK_ROWS });
      const now = context.clock.now();
      const filter = readFilter(args, now);
      const query = { ...filter, session: args.values.get('session'), limit };
      await using source = await openSource(context, args, needsIndex(filter, now) ? 'words' : 'rows');
      const rows = await list(source, query, args);
      await printList(context, args, { name: command.name, rows, from: source, columns: columns(now), csv, empty });
    },
  };
}
