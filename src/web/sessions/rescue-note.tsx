import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { rescueSentence } from '../../reading/health.ts';
import { CLIENTS } from '../api/client.ts';
import { isBusy, useStatus } from '../api/queries.ts';
import { useRealm } from '../routing/realm.ts';
import { useSetting } from '../setting.ts';
import styles from './list-page.module.css';

/** What the first import saved; shown until it is dismissed, and never again. */
export function RescueNote() {
  const { base, isDemo } = useRealm();
  const { data: status } = useStatus(base);
  const [seen, setSeen] = useSetting('rescue-seen');
  const isOwn = !isDemo && status?.is_demo === false;
  const isWanted = seen === null && isOwn && !isBusy(status) && status.sessions > 0;
  const { data } = useQuery({
    queryKey: [base, 'rescue'],
    queryFn: ({ signal }) => CLIENTS[base].get('/rescue', { signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const sentence = !isWanted || data === undefined ? null : rescueSentence(data, new Date());
  if (sentence === null) return null;
  return (
    <div className={`${styles['rescue']} no-print`} role="status">
      <p>{sentence}</p>
      <button type="button" className={styles['icon']} aria-label="Dismiss" onClick={() => setSeen('yes')}>
        <X size={15} aria-hidden="true" />
      </button>
    </div>
  );
}
