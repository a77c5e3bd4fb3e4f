import type { StatusReport } from '../../api/server.ts';
import { useIsServerLost } from '../api/connection.ts';
import { ImportProgress } from './import-progress.tsx';
import { hideToast, useToasts } from './toasts.ts';
import styles from './status-stack.module.css';

/** Short-lived messages in front of the lower edge, so that they never move what is being read. */
export function StatusStack({ status }: { readonly status: StatusReport | undefined }) {
  const isLost = useIsServerLost();
  const toasts = useToasts();
  return (
    <div className={`${styles.stack} no-print`}>
      {isLost && (
        <p className={styles.warning} role="alert">
          fuel-code is not responding. Retrying…
        </p>
      )}
      {status !== undefined && !isLost && <ImportProgress progress={status.import} />}
      <div role="status">
        {toasts.map(({ id, text, action }) => (
          <p key={id} className={styles.note}>
            {text}
            {action !== undefined && (
              <button
                type="button"
                className={`button ${styles.action}`}
                onClick={() => {
                  hideToast(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
          </p>
        ))}
      </div>
    </div>
  );
}
