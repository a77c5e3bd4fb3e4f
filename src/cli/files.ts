import { formatAgo, formatCompact } from '../reading/format.ts';
import type { FileStats } from '../api/usage.ts';
import type { Column } from './table.ts';
import { workCommand } from './work-command.ts';

export const command = workCommand<FileStats>({
  name: 'files',
  about: 'Show which files were read and written, most written first.',
  operands: '[part of a path]',
  maxOperands: 1,
  examples: [
    ['fuel-code files --since 7d', 'Files touched in the last 7 days.'],
    ['fuel-code files src/store', 'Only files whose path contains src/store.'],
    ['fuel-code files --session 3f2a91c0', 'Files one session touched.'],
  ],
  list: async ({ get }, query, { positionals: [path] }) =>
    (await get('/files', { query: { ...query, path: path || undefined } })).files,
  columns,
  csv: ['path', 'sessions', 'reads', 'writes', 'lines_added', 'lines_removed', 'last_at'],
  empty: 'No files were read or written.\n',
});

function columns(now: Date): readonly Column<FileStats>[] {
  return [
    { title: 'FILE', grows: true, keeps: 'end', text: ({ path }) => path },
    { title: 'SESSIONS', align: 'right', fromColumns: 80, text: ({ sessions }) => formatCompact(sessions) },
    { title: 'READS', align: 'right', fromColumns: 60, text: ({ reads }) => formatCompact(reads) },
    { title: 'WRITES', align: 'right', text: ({ writes }) => formatCompact(writes) },
    { title: 'LINES', align: 'right', text: linesOf },
    { title: 'LAST', fromColumns: 70, text: ({ last_at }) => formatAgo(last_at, now) },
  ];
}

function linesOf({ lines_added, lines_removed }: FileStats): string {
  return lines_added + lines_removed === 0 ? '–' : `+${formatCompact(lines_added)} −${formatCompact(lines_removed)}`;
}
