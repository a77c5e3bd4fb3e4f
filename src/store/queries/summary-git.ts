import type { CommitMade, SummaryInput, SummaryScope } from '../../domain/summary.ts';
import type { Tx } from '../engine.ts';
import { readJson } from '../text.ts';
import { ofRevision, type SummarySession } from './summary-rows.ts';

const MAX_GIT_ROWS = 500;
const MAX_SUBJECT_CHARS = 200;

type GitWork = Pick<SummaryInput, 'commits' | 'pushes'>;

/** What git tells of a session, and what its tool calls printed; of an agent only the latter. */
export async function readCommits(db: Tx, session: SummarySession, scope: SummaryScope): Promise<GitWork> {
  const told = scope.agentIds === null ? await readActivity(db, session) : [];
  const printed = await readCalls(db, session, scope);
  const rows = [...told, ...printed];
  const pushed = (list: readonly GitRow[]) => list.filter(({ type }) => type === 'push').length;
  return {
    commits: joinCommits(rows.filter(({ type }) => type === 'commit')),
    pushes: Math.max(pushed(told), pushed(printed)),
  };
}

interface GitRow {
  readonly type: string;
  readonly sha: string | null;
  readonly message: string | null;
}

async function readActivity(db: Tx, { id }: SummarySession): Promise<readonly GitRow[]> {
  return db
    .selectFrom('git_activity')
    .select(['type', 'commit_sha as sha', 'message'])
    .where('session_id', '=', id)
    .where('duplicate_of', 'is', null)
    .where('type', 'in', ['commit', 'push'])
    .orderBy('timestamp')
    .orderBy('id')
    .limit(MAX_GIT_ROWS)
    .execute();
}

async function readCalls(db: Tx, session: SummarySession, { agentIds }: SummaryScope): Promise<readonly GitRow[]> {
  let select = db
    .selectFrom('git_calls as g')
    .select(['g.kind as type', 'g.sha', 'g.message', 'g.is_reported'])
    .where('g.session_id', '=', session.id)
    .where('g.kind', 'in', ['commit', 'push'])
    .orderBy('g.position')
    .limit(MAX_GIT_ROWS);
  if (agentIds !== null) {
    const own = ofRevision(db, session, 'tool_calls')
      .select('id')
      .where('agent_id', 'in', [...agentIds]);
    select = select.where('g.tool_use_id', 'in', own);
  }
  return (await select.execute()).filter(({ is_reported }) => Boolean(is_reported));
}

/** The same commit told twice, in full and as git abbreviated it, is one. */
function joinCommits(rows: readonly GitRow[]): readonly CommitMade[] {
  const commits: CommitMade[] = [];
  for (const { sha, message } of rows) {
    const subject = message?.split('\n', 1)[0]?.slice(0, MAX_SUBJECT_CHARS) || null;
    const at = commits.findIndex((known) => isSame(known.sha, sha));
    const known = commits[at];
    if (known === undefined) commits.push({ sha, subject });
    else commits[at] = { sha: known.sha, subject: known.subject ?? subject };
  }
  return commits;
}

function isSame(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && (one.startsWith(other) || other.startsWith(one));
}

/** Pull requests that the client linked, or that a call made. */
export async function readPullRequests(db: Tx, session: SummarySession): Promise<SummaryInput['pullRequests']> {
  const linked = await ofRevision(db, session, 'pull_requests')
    .select(['number', 'url'])
    .orderBy('position')
    .limit(MAX_GIT_ROWS)
    .execute();
  const rows = await db
    .selectFrom('git_calls')
    .select('data')
    .where('session_id', '=', session.id)
    .where('kind', '=', 'pr')
    .orderBy('position')
    .limit(MAX_GIT_ROWS)
    .execute();
  const made = rows.map(({ data }) => {
    const { number, url } = readJson<{ readonly number?: unknown; readonly url?: unknown }>(data);
    return { number: typeof number === 'number' ? number : null, url: typeof url === 'string' ? url : null };
  });
  const byName = new Map([...linked, ...made].map((one) => [one.number ?? one.url, one]));
  return [...byName.values()];
}
