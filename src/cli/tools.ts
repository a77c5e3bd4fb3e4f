import { formatCompact, formatDuration } from '../reading/format.ts';
import type { ToolStats } from '../api/usage.ts';
import type { Column } from './table.ts';
import { workCommand } from './work-command.ts';

const COLUMNS: readonly Column<ToolStats>[] = [
  { title: 'TOOL', grows: true, text: ({ name }) => name },
  { title: 'CALLS', align: 'right', text: ({ calls }) => formatCompact(calls) },
  { title: 'SESSIONS', align: 'right', fromColumns: 60, text: ({ sessions }) => formatCompact(sessions) },
  { title: 'FAILED', align: 'right', text: ({ errors, calls }) => shareOf(errors, calls) },
  { title: 'DENIED', align: 'right', fromColumns: 70, text: ({ denied, calls }) => shareOf(denied, calls) },
  { title: 'TIME', align: 'right', fromColumns: 50, text: ({ total_ms }) => formatDuration(total_ms) },
  { title: 'LONGEST', align: 'right', fromColumns: 80, text: ({ longest_ms }) => formatDuration(longest_ms) },
];

function shareOf(some: number, all: number): string {
  return some === 0 ? '–' : `${formatCompact(some)} (${Math.max(1, Math.round((some / all) * 100))}%)`;
}

export const command = workCommand<ToolStats>({
  name: 'tools',
  about: 'Show which tools were called, how often, how long they took and how often they failed.',
  examples: [
    ['fuel-code tools', 'All sessions.'],
    ['fuel-code tools --workspace shop --since 7d', 'One workspace, last 7 days.'],
    ['fuel-code tools --session 3f2a91c0 --json', 'One session, as JSON.'],
  ],
  list: async ({ get }, query) => (await get('/tools', { query })).tools,
  columns: () => COLUMNS,
  csv: ['name', 'calls', 'sessions', 'errors', 'denied', 'total_ms', 'longest_ms'],
  empty: 'No tools were called.\n',
});
