import { workspacePlace } from '../domain/workspace.ts';
import { listWorkspaces, type WorkspaceRow } from '../store/queries/workspace-rows.ts';
import { catchUp } from './catch-up.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { formatAgo, formatCost, formatCount } from './format.ts';
import { type Column, renderTable } from './table.ts';

const MAX_NAME_COLUMNS = 32;

export const command: Command = {
  name: 'workspaces',
  about: 'List workspaces, last used first.',
  options: {
    all: { type: 'boolean', about: 'Also those without a session.' },
    'no-import': { type: 'boolean', about: 'Show what is stored, without looking for new transcripts first.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code workspaces', 'Where you worked, how often, and what it cost.'],
    ['fuel-code workspaces --json | jq ".[].canonical_id"', 'The ids, for a program.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const rows = await listWorkspaces(app.store.engine.kysely, { isAll: args.flags.has('all') });
    const { terminal } = context;
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0) terminal.out('There is no session yet, and so no workspace.\n');
    else terminal.out(renderTable(terminal, columns(context.clock.now()), rows));
  },
};

function columns(now: Date): readonly Column<WorkspaceRow>[] {
  return [
    { title: 'NAME', text: ({ display_name }) => display_name.slice(0, MAX_NAME_COLUMNS) },
    { title: 'SESSIONS', align: 'right', text: ({ sessions }) => formatCount(sessions) },
    {
      title: 'LAST USED',
      fromColumns: 60,
      text: ({ last_active_at }) => (last_active_at ? formatAgo(last_active_at, now) : '–'),
    },
    { title: 'COST', align: 'right', text: costOf },
    { title: 'ID', grows: true, text: ({ canonical_id }) => workspacePlace(canonical_id) },
  ];
}

export function costOf({ cost_estimate_usd, unpriced_sessions }: WorkspaceRow): string {
  return formatCost(cost_estimate_usd, unpriced_sessions > 0 ? ['some'] : []);
}
