import type { App } from '../src/app/open-app.ts';
import { inMs, measureOften, textTable } from './measure.ts';
import { openServer } from './server.ts';

const ROUNDS = 50;

type Ask = (path: string) => Promise<unknown>;

/**
 * Pages of lists and transcripts through the whole server except its socket, as ratios to the shortest path to the database
 * and back, `/api/ready`. For comparison, the time to serialize the same response as JSON.
 */
export async function measurePages(app: App): Promise<string> {
  const ask = openAsk(app);
  const base = await measureOften(ROUNDS, () => ask('/api/ready'));
  const rows = [['ready', inMs(base.p50), inMs(base.p95), '1.0 ×', '']];
  for (const [name, path] of await pickPages(ask)) {
    const answer = await ask(path);
    const { p50, p95 } = await measureOften(ROUNDS, () => ask(path));
    const json = await measureOften(ROUNDS, () => JSON.stringify(answer));
    rows.push([name, inMs(p50), inMs(p95), `${(p50 / base.p50).toFixed(1)} ×`, inMs(json.p50)]);
  }
  return textTable([['', 'p50', 'p95', 'ratio', 'its JSON'], ...rows]);
}

function openAsk(app: App): Ask {
  const request = openServer(app, { authorization: 'Bearer bench' });
  return async (path) => {
    const response = await request(path);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
}

interface ListPage {
  readonly sessions: readonly { readonly id: string; readonly workspace_id: string; readonly total_messages: number }[];
  readonly next_cursor: string | null;
}

async function pickPages(ask: Ask): Promise<readonly (readonly [string, string])[]> {
  const { deep, all } = await walkList(ask);
  const largest = all.toSorted((a, b) => b.total_messages - a.total_messages)[0];
  if (largest === undefined) throw new Error('there is no session');
  const session = `/api/sessions/${largest.id}`;
  const of = `workspace_id=${encodeURIComponent(largest.workspace_id)}`;
  return [
    ['list, first page', '/api/sessions?limit=50'],
    ['list, deep cursor', `/api/sessions?limit=50&cursor=${deep}`],
    ['list of a workspace', `/api/sessions?limit=50&${of}`],
    ['list by title', '/api/sessions?limit=50&title=zqxjkv'],
    ['list with errors', '/api/sessions?limit=50&has=error'],
    ['list with a commit', '/api/sessions?limit=50&has=commit'],
    [`session of ${largest.total_messages} messages`, session],
    ['its transcript, first page', `${session}/transcript?limit=100`],
    ['its transcript, last page', `${session}/transcript?limit=100&after=${largest.total_messages - 101}`],
    ['its tool calls', `${session}/tool-calls?limit=100`],
    ['timeline', '/api/timeline?limit=50'],
    ['workspaces', '/api/workspaces'],
    ['usage by day', '/api/usage?by=day'],
    ['status', '/api/status'],
  ];
}

/** All sessions, and the cursor of the last page. */
async function walkList(ask: Ask): Promise<{ readonly deep: string; readonly all: ListPage['sessions'] }> {
  const all: ListPage['sessions'][number][] = [];
  let deep = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = (await ask(`/api/sessions?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`)) as ListPage;
    all.push(...page.sessions);
    deep = cursor || deep;
    cursor = page.next_cursor;
  }
  return { deep, all };
}
