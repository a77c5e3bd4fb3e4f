import type { SummaryInput } from '../../../domain/summary.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { ofRevision, type SummarySession } from './summary-rows.ts';

/** Pull requests that the client linked or a tool call created. */
export async function readPullRequests(db: Tx, session: SummarySession): Promise<SummaryInput['pullRequests']> {
  const linked = await ofRevision(db, session, 'pull_requests').select(['number', 'url']).orderBy('position').execute();
  const rows = await db
    .selectFrom('git_calls')
    .select('data')
    .where('session_id', '=', session.id)
    .where('kind', '=', 'pr')
    .orderBy('position')
    .execute();
  const made = rows.map(({ data }) => {
    const { number, url } = readJson<{ readonly number?: unknown; readonly url?: unknown }>(data);
    return { number: typeof number === 'number' ? number : null, url: typeof url === 'string' ? url : null };
  });
  const byName = new Map([...linked, ...made].map((one) => [one.number ?? one.url, one]));
  return [...byName.values()];
}
