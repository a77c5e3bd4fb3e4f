import type { SessionRow } from '../api/sessions.ts';
import type { WorkspaceDetail, WorkspaceRow } from '../api/workspaces.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { workspacePlace } from '../domain/workspace.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatAgo, formatCompact, formatCost } from '../reading/format.ts';
import { shortId, titleOf } from '../reading/names.ts';
import {
  type Command,
  JSON_OPTION,
  NO_IMPORT_OPTION,
  NO_PAGER_OPTION,
  onlyOneOf,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { offerGitHooks } from './git-hooks.ts';
import { printJson, printList, ROW_OPTIONS, readFormat, streamRows } from './output.ts';
import { type Fact, factLines } from './session-detail.ts';
import { allPages, isRemote, openSource, type Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import { paint, type Terminal } from './terminal.ts';

const MAX_NAME_COLUMNS = 32;

export const workspacesCommand: Command = {
  name: 'workspaces',
  about: 'List workspaces, last used first.',
  options: {
    all: { type: 'boolean', about: 'Include workspaces without sessions.' },
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code workspaces', 'List workspaces with session counts and cost.'],
    ['fuel-code workspaces --json | jq ".workspaces[].canonical_id"', 'Ids for use in scripts.'],
  ],
  run: async (context, args) => {
    await using source = await openSource(context, args, 'rows');
    const pages = allPages((cursor) =>
      source.get('/workspaces', { query: { limit: MAX_PAGE_ROWS, all: args.flags.has('all'), cursor } }),
    );
    if (readFormat(args) === 'ndjson') {
      await streamRows(context.terminal, args, pages, { rows: ({ workspaces }) => workspaces });
      return;
    }
    const rows = (await Array.fromAsync(pages)).flatMap(({ workspaces }) => workspaces);
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
      text: ({ last_active_at }) => formatAgo(last_active_at, now),
    },
    { title: 'COST', align: 'right', text: costOf },
    {
      title: 'ID',
      grows: true,
      keeps: 'end',
      text: ({ canonical_id }) => workspacePlace(canonical_id),
      style: () => 'dim',
    },
  ];
}

export function costOf({ cost_estimate_usd, unpriced_sessions }: WorkspaceRow): string {
  return formatCost(cost_estimate_usd, unpriced_sessions > 0 ? ['some'] : []);
}

const RECENT_SESSIONS = 10;
const CHANGES = ['rename', 'merge-into', 'take'] as const;

export const workspaceCommand: Command = {
  name: 'workspace',
  about: 'Show, rename or merge a workspace, or move a session into it.',
  operands: '<name, id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: onlyOneOf(CHANGES, {
    rename: { type: 'string', value: 'NAME', about: 'New name.' },
    'merge-into': {
      type: 'string',
      value: 'OTHER',
      about: 'Move all its sessions, current and future, to another workspace.',
    },
    take: { type: 'string', value: 'SESSION', about: 'Move this session into the workspace permanently.' },
    'no-import': NO_IMPORT_OPTION,
    json: JSON_OPTION,
    'no-pager': NO_PAGER_OPTION,
    ...REMOTE_OPTIONS,
  }),
  examples: [
    ['fuel-code workspace shop', 'Show its folders, sessions and cost.'],
    ['fuel-code workspace git@github.com:ada/shop.git', 'Find it by its git remote, in any spelling.'],
    ['fuel-code workspace shop --rename "Web shop"', 'Rename it.'],
    ['fuel-code workspace old-clone --merge-into shop', 'Merge two workspaces of the same project.'],
    ['fuel-code workspace shop --take 3f2a91c0', 'Move a session into it.'],
  ],
  run: async (context, args) => {
    const change = changeOf(args);
    await using source = await openSource(context, args, 'rows');
    const named = await source.get('/workspaces/:workspace_id', {
      params: { workspace_id: args.positionals[0] ?? '' },
    });
    const shown = change === null ? named.id : await change(source, named.id);
    const workspace = await source.get('/workspaces/:workspace_id', { params: { workspace_id: shown } });
    const query = { workspace_id: workspace.id, limit: RECENT_SESSIONS };
    const { sessions } = await source.get('/sessions', { query });
    const { terminal, clock } = context;
    if (args.flags.has('json')) return printJson(terminal, workspace);
    terminal.out(render(terminal, workspace, sessions, clock.now()));
    if (!isRemote(args)) await offerGitHooks(context, workspace);
  },
};

/** Changes a workspace and returns the one to show afterwards. */
type Change = (source: Source, workspace_id: string) => Promise<string>;

function changeOf({ values }: ParsedArguments): Change | null {
  const asked = CHANGES.find((option) => values.has(option));
  const value = values.get(asked ?? '') ?? '';
  const patch = async (
    { send }: Source,
    workspace_id: string,
    body: { display_name: string } | { merge_into: string },
  ) => (await send('PATCH /workspaces/:workspace_id', { params: { workspace_id }, body })).id;
  if (asked === 'rename') return (source, id) => patch(source, id, { display_name: value });
  if (asked === 'merge-into') return (source, id) => patch(source, id, { merge_into: value });
  if (asked === 'take')
    return async ({ send }, workspace_id) =>
      (await send('PATCH /sessions/:id', { params: { id: value }, body: { workspace_id } })).workspace_id;
  return null;
}

function render(terminal: Terminal, workspace: WorkspaceDetail, sessions: readonly SessionRow[], now: Date): string {
  const facts: readonly Fact[] = [
    ['Id', workspace.canonical_id],
    ['Sessions', String(workspace.sessions)],
    ['Last used', workspace.last_active_at && formatAgo(workspace.last_active_at, now)],
    ['Cost', costOf(workspace)],
    ['Commits', workspace.commits > 0 ? String(workspace.commits) : null],
    ['Branch', workspace.default_branch],
    ...workspace.folders.map((folder) => ['Folder', describeFolder(folder)] as const),
    ...workspace.merged.map((id) => ['Merged', id] as const),
  ];
  const lines = factLines(terminal, facts);
  const title = paint(terminal, 'bold', fitWidth(visibleLine(workspace.display_name), terminal.columns));
  const recent = sessions.length === 0 ? '' : `\n${renderTable(terminal, recentColumns(now), sessions)}`;
  return `${title}\n\n${lines.join('\n')}\n${recent}`;
}

function describeFolder({ device_name, path, worktree_name }: WorkspaceDetail['folders'][number]): string {
  return `${path} on ${device_name}${worktree_name === null ? '' : `, working tree ${worktree_name}`}`;
}

function recentColumns(now: Date) {
  return [
    { title: 'ID', text: ({ id }: SessionRow) => shortId(id) },
    { title: 'STARTED', text: ({ started_at }: SessionRow) => formatAgo(started_at, now) },
    {
      title: 'TITLE',
      grows: true,
      text: titleOf,
    },
    {
      title: 'COST',
      align: 'right' as const,
      text: ({ cost_estimate_usd, unknown_models }: SessionRow) => formatCost(cost_estimate_usd, unknown_models),
    },
  ];
}
