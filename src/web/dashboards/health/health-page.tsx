import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Checkup } from '../../../api/checkup.ts';
import { formatBytes, formatCount, plural } from '../../../reading/format.ts';
import { healthCards, healthSentence } from '../../../reading/health.ts';
import { CLIENTS } from '../../api/client.ts';
import { useStatus } from '../../api/queries.ts';
import { useRealm } from '../../routing/realm.ts';
import { WithCode } from '../../shell/notice.tsx';
import { Dashboard, Loaded } from '../frame.tsx';
import dashboardStyles from '../dashboard.module.css';
import styles from './health.module.css';

/** Whether everything is captured, kept and readable. */
export function HealthPage() {
  const { base } = useRealm();
  const [isFull, setFull] = useState(false);
  const query = useQuery({
    queryKey: [base, 'checkup', isFull],
    queryFn: ({ signal }) => CLIENTS[base].get('/checkup', { query: { full: isFull }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Dashboard name="health">
      <Loaded what="Checking" query={query}>
        {(checkup) => (
          <>
            <p className={styles['sentence']} role="status">
              {healthSentence(checkup, new Date(query.dataUpdatedAt))}
            </p>
            <Cards checkup={checkup} />
            <p>
              <button
                type="button"
                className="button"
                disabled={query.isFetching}
                onClick={() => (isFull ? void query.refetch() : setFull(true))}
              >
                {query.isFetching ? 'Checking…' : 'Check the whole database and archive'}
              </button>
            </p>
          </>
        )}
      </Loaded>
    </Dashboard>
  );
}

const MARKS = { ok: 'OK', warn: 'Note', bad: 'Problem' } as const;

function Cards({ checkup }: { readonly checkup: Checkup }) {
  const { base } = useRealm();
  const { data: status } = useStatus(base);
  return (
    <div className={styles['cards']}>
      {healthCards(checkup).map(({ title, checks }) => (
        <section key={title} className={dashboardStyles['card']} aria-label={title}>
          <h2>{title}</h2>
          <ul className={styles['checks']}>
            {checks.map(({ name, state, message }, index) => (
              <li key={index}>
                <span className={`${styles['mark']} ${styles[state]}`}>{MARKS[state]}</span>{' '}
                {name.toLowerCase() !== title.toLowerCase() && (
                  <span className={styles['name']}>{name.charAt(0).toUpperCase() + name.slice(1)}</span>
                )}{' '}
                <bdi className={styles['message']}>
                  <WithCode text={message} />
                </bdi>
              </li>
            ))}
          </ul>
          {title === 'Storage' && status !== undefined && (
            <p className={dashboardStyles['note']}>
              {plural(status.sessions, 'session')}, {plural(status.messages, 'message')}, {formatCount(status.files)}{' '}
              files: {formatBytes(status.archived_bytes)} stored in {formatBytes(status.stored_bytes)}.
            </p>
          )}
          {title === 'Server' && status !== undefined && (
            <p className={dashboardStyles['note']}>
              Version {status.version}, {status.mode === 'embedded' ? 'SQLite' : 'PostgreSQL'}, data in{' '}
              <code>{status.data_home}</code>
            </p>
          )}
        </section>
      ))}
    </div>
  );
}
