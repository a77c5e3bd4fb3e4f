import { useInfiniteQuery } from '@tanstack/react-query';
import type { WorkCall } from '../../../api/work.ts';
import { TOOL_STATUSES } from '../../../domain/transcript-structure.ts';
import { summarizeInput } from '../../../reading/call-summary.ts';
import { formatDateTime, formatElapsed, formatExact } from '../../../reading/format.ts';
import { titleOf } from '../../../reading/names.ts';
import { outcomeName } from '../../../reading/tool-call.ts';
import { CLIENTS } from '../../api/client.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useRealm } from '../../routing/realm.ts';
import dashboardStyles from '../dashboard.module.css';
import styles from './tool-calls.module.css';

interface ToolCallsProps {
  readonly tool: string;
  readonly status: string | undefined;
  readonly filter: { readonly q?: string };
}

const PAGE_CALLS = 50;

/** The calls of a tool, newest session first: each leads to its place in the session. */
export function ToolCalls({ tool, status, filter }: ToolCallsProps) {
  const { base } = useRealm();
  const known = TOOL_STATUSES.find((each) => each === status);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [base, 'tool-calls', tool, known, filter],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...filter,
        name: tool,
        limit: PAGE_CALLS,
        cursor: pageParam,
        ...(known === undefined ? {} : { status: [known] }),
      };
      return CLIENTS[base].get('/tool-calls', { query, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  if (data === undefined)
    return <p className={dashboardStyles['note']}>{error === null ? 'Loading calls…' : error.message}</p>;
  const calls = data.pages.flatMap((page) => page.calls);
  if (calls.length === 0) return <p className={dashboardStyles['note']}>No calls in this period.</p>;
  const now = new Date();
  return (
    <>
      <ol className={styles['calls']}>
        {calls.map((call) => (
          <Call key={`${call.session_id} ${call.id}`} call={call} now={now} />
        ))}
      </ol>
      {hasNextPage && (
        <p>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

function Call({ call, now }: { readonly call: WorkCall; readonly now: Date }) {
  const { name, status, duration_ms, started_at, session_id, ordinal, block, input, cwd } = call;
  const about = summarizeInput(name, input, cwd);
  const outcome = outcomeName(call);
  return (
    <li className={styles['call']}>
      <PageLink className={styles['about']} page={{ kind: 'session', id: session_id, at: ordinal, block }}>
        <code dir="auto">{about === '' ? '(no arguments)' : about}</code>
      </PageLink>
      <span className={styles['facts']}>
        <span className={status === 'error' ? styles['failed'] : undefined}>{outcome}</span>
        <span className={styles['duration']}>{duration_ms === null ? '' : formatElapsed(duration_ms)}</span>
        <time dateTime={started_at ?? undefined} title={started_at === null ? undefined : formatExact(started_at)}>
          {started_at === null ? '' : formatDateTime(started_at, now)}
        </time>
        <bdi className={styles['session']}>{titleOf({ title: call.session_title })}</bdi>
      </span>
      {input !== null && (
        <details className={styles['input']}>
          <summary>Arguments</summary>
          <pre tabIndex={0}>{JSON.stringify(input, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}
