import type { App } from '../src/app/open-app.ts';
import type { Client } from '../src/client/client.ts';
import { COST_GROUPS } from '../src/domain/cost.ts';
import { addDays, dayText } from '../src/domain/days.ts';
import { VALUE_FIELDS } from '../src/domain/session-fields.ts';
import { SESSION_SORTS, type SessionSort } from '../src/domain/session-sort.ts';

/** Every request of the page, by screen, with the limits that the page uses. */

export type Requests = Readonly<Record<string, () => Promise<unknown>>>;

const zone = 'Europe/Berlin';
const PERIOD_DAYS = 30;
const TIMELINE_DAYS = 14;
const LIST_ROWS = 200;

interface Picked {
  /** Today and the first day of the default period. */
  readonly until: string;
  readonly since: string;
  /** The sessions of the default period, as a filter. */
  readonly month: string;
  readonly place: { readonly workspace: string; readonly branch: string };
  readonly tool: string;
  readonly path: string;
  /** The session with the most messages. */
  readonly id: string;
  readonly agentId: string | undefined;
  readonly compactionId: string | undefined;
}

/** `app` is on the day of its newest session. */
export async function pickInputs({ get }: App): Promise<Picked> {
  const { newest_session_at } = await get('/status');
  const until = dayText(Date.parse(newest_session_at ?? ''));
  const since = addDays(until, 1 - PERIOD_DAYS);
  const { places } = await get('/cost/breakdown', { query: { zone } });
  const { tools } = await get('/tools', { query: { zone, limit: 1 } });
  const { files } = await get('/files', { query: { zone, limit: 1 } });
  const { sessions } = await get('/sessions', { query: { limit: 1, sort: 'messages' } });
  const id = sessions[0]?.id ?? '';
  const { compactions } = await get('/sessions/:id/compactions', { params: { id }, query: { limit: 1 } });
  const { subagents } = await get('/sessions/:id/subagents', { params: { id }, query: { limit: 1 } });
  return {
    until,
    since,
    month: `after:${since} before:${addDays(until, 1)}`,
    place: { workspace: places[0]?.workspace_key ?? '', branch: places[0]?.branch ?? '' },
    tool: tools[0]?.name ?? '',
    path: files[0]?.path ?? '',
    id,
    agentId: subagents[0]?.agent_id,
    compactionId: compactions[0]?.id,
  };
}

type Get = Client['get'];

export function dashboardRequests(get: Get, { since, until, month, place, tool: name, path }: Picked): Requests {
  const days = { zone, since, until };
  const groups = COST_GROUPS.map((by) => [`cost: by ${by}`, () => get('/cost', { query: { zone, by } })] as const);
  return {
    'cost: periods': () => get('/cost/periods', { query: { zone } }),
    'cost: 30 days': () => get('/cost/breakdown', { query: days }),
    'cost: all time': () => get('/cost/breakdown', { query: { zone } }),
    'cost: current block': () => get('/cost', { query: { zone, by: 'block', since: addDays(until, -1) } }),
    'cost: budgets': () => get('/budgets', { query: { zone } }),
    'cost: sessions of a branch': () => get('/cost/sessions', { query: { zone, ...place } }),
    'cost: price book': () => get('/prices'),
    ...Object.fromEntries(groups),
    timeline: () => get('/activity', { query: { zone, since: addDays(until, 1 - TIMELINE_DAYS), until } }),
    'tools: 30 days': () => get('/tools', { query: { zone, q: month, limit: 1_000 } }),
    'tools: all time': () => get('/tools', { query: { zone, limit: 1_000 } }),
    'tools: by day, 30 days': () => get('/tools/days', { query: { zone, q: month } }),
    'tools: by day, all time': () => get('/tools/days', { query: { zone } }),
    'tools: calls': () => get('/tool-calls', { query: { zone, name, limit: 50 } }),
    'tools: failed calls': () => get('/tool-calls', { query: { zone, name, status: ['error'], limit: 50 } }),
    'files: 30 days': () => get('/files', { query: { zone, q: month, limit: 2_000 } }),
    'files: all time': () => get('/files', { query: { zone, limit: 2_000 } }),
    'files: history of one': () => get('/files/changes', { query: { path, limit: 20 } }),
    health: () => get('/checkup', { query: { full: false } }),
    status: () => get('/status'),
  };
}

export function listRequests(get: Get): Requests {
  const page = (query: { sort?: SessionSort; q?: string; all?: true }) => () =>
    get('/sessions', { query: { zone, limit: LIST_ROWS, fields: 'list', ...query } });
  const sorts = (Object.keys(SESSION_SORTS) as SessionSort[]).map(
    (sort) => [`list: by ${sort}`, page({ sort })] as const,
  );
  const values = VALUE_FIELDS.map(
    (field) => [`list: values of ${field}`, () => get('/search/values', { query: { field, limit: 20 } })] as const,
  );
  return {
    ...Object.fromEntries([...sorts, ...values]),
    'list: empty ones too': page({ all: true }),
    'list: filtered by fields': page({ q: 'model:opus cost>0.01' }),
    'list: filtered by facts': page({ q: 'has:error has:commit' }),
    'list: filtered by file': page({ q: 'file:src' }),
    'list: facets': () => get('/facets', { query: { zone } }),
    'list: days': () => get('/session-days', { query: { zone, days: PERIOD_DAYS } }),
    'list: rescued': () => get('/rescue'),
    'list: views': () => get('/views'),
    'palette: sessions': () => get('/sessions', { query: { fields: 'list', limit: 8, title: 'fix' } }),
    'palette: workspaces': () => get('/workspaces', { query: {} }),
  };
}

/** The views of a session, the panel beside the list, and what the comparison of two sessions reads of each. */
export function sessionRequests(get: Get, { id, agentId, compactionId }: Picked): Requests {
  const params = { id };
  return {
    'session: head': () => get('/sessions/:id', { params }),
    'session: outline': () => get('/sessions/:id/outline', { params, query: {} }),
    'session: context': () => get('/sessions/:id/context', { params, query: {} }),
    ...(agentId !== undefined && {
      'session: context of an agent': () => get('/sessions/:id/context', { params, query: { agent_id: agentId } }),
    }),
    ...(compactionId !== undefined && {
      'session: compaction': () =>
        get('/sessions/:id/compactions/:compaction_id/diff', { params: { id, compaction_id: compactionId } }),
    }),
    'session: waterfall': () => get('/sessions/:id/waterfall', { params }),
    'session: costs': () => get('/sessions/:id/costs', { params }),
    'session: relatives': () => get('/sessions/:id/relatives', { params }),
    'peek: prompts': () => get('/sessions/:id/prompts', { params, query: { limit: 50 } }),
    'peek: files': () => get('/sessions/:id/files', { params, query: { limit: 50 } }),
    'compare: turns': () => get('/sessions/:id/turns', { params, query: { limit: LIST_ROWS } }),
    'compare: files': () => get('/sessions/:id/files', { params, query: { limit: LIST_ROWS } }),
    'compare: git': () => get('/sessions/:id/git', { params, query: {} }),
    'compare: tools': () => get('/tools', { query: { session: id, all: true, limit: LIST_ROWS } }),
  };
}
