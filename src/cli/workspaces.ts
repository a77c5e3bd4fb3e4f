import { workspacePlace } from '../domain/workspace.ts';
import { formatAgo, formatCompact, formatCost } from '../reading/format.ts';
import { MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import type { WorkspaceRow } from '../api/workspaces.ts';
import { allPages } from './all-pages.ts';
import { type Command, NO_IMPORT_OPTION, REMOTE_OPTIONS } from './command.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { openSource, type Source } from './source.ts';
import type { Column } from './table.ts';

const MAX_NAME_COLUMNS = 32;

export const command: Command = {
  name: 'workspaces',
  about: 'List workspaces, last used first.',
  options: {
    all: { type: 'boolean', about: 'Include workspaces without sessions.' },
    'no-import': NO_IMPORT_OPTION,
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code workspaces', 'List workspaces with session counts and cost.'],
    ['fuel-code workspaces --json | jq ".workspaces[].canonical_id"', 'Ids for use in scripts.'],
  ],
  run: async (context, args) => {
    await using source = await openSource(context, args, 'rows');
    const rows = await listAll(source, args.flags.has('all'));
    const empty = 'No workspaces yet.\n';
    const now = context.clock.now();
    await printList(context, args, {
      name: 'workspaces',
      rows,
      from: source,
      columns: columns(now),
      csv: CSV_COLUMNS,
      empty,
    });
  },
};

async function listAll(source: Source, all: boolean): Promise<readonly WorkspaceRow[]> {
  const rows: WorkspaceRow[] = [];
  const fetch = (cursor: string | undefined) =>
    source.get('/workspaces', { query: { limit: MAX_PAGE_ROWS, all, cursor } });
  for await (const { workspaces } of allPages(fetch)) rows.push(...workspaces);
  return rows;
}

const CSV_COLUMNS = [
  'id',
  'canonical_id',
  'display_name',
  'sessions',
  'last_active_at',
  'cost_estimate_usd',
  'unpriced_sessions',
] as const;

function columns(now: Date): readonly Column<WorkspaceRow>[] {
  return [
    { title: 'NAME', maxColumns: MAX_NAME_COLUMNS, text: ({ display_name }) => display_name },
    { title: 'SESSIONS', align: 'right', text: ({ sessions }) => formatCompact(sessions) },
    {
      title: 'LAST USED',
      fromColumns: 60,
      text: ({ last_active_at }) => (last_active_at ? formatAgo(last_active_at, now) : '–'),
    },
    { title: 'COST', align: 'right', text: costOf },
    { title: 'ID', grows: true, keeps: 'end', text: ({ canonical_id }) => workspacePlace(canonical_id) },
  ];
}

export function costOf({ cost_estimate_usd, unpriced_sessions }: WorkspaceRow): string {
  return formatCost(cost_estimate_usd, unpriced_sessions > 0 ? ['some'] : []);
}
