import type { ImportProgress as Progress } from '../../api/server.ts';
import { formatBytes, formatCount } from '../../reading/format.ts';
import styles from './status-stack.module.css';

interface Shown {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

function shownOf(progress: Progress): Shown | null {
  switch (progress.phase) {
    case 'idle':
    case 'failed':
      return null;
    case 'scanning':
      return { label: 'Scanning for transcripts', done: 0, total: 0 };
    case 'importing': {
      const files = `${formatCount(progress.files_done)} of ${formatCount(progress.files_total)} files`;
      const bytes = `${formatBytes(progress.bytes_done)} of ${formatBytes(progress.bytes_total)}`;
      return { label: `Importing: ${files} · ${bytes}`, done: progress.bytes_done, total: progress.bytes_total };
    }
    case 'indexing': {
      const { sessions_indexed: done, sessions_to_index: total } = progress;
      return { label: `Indexing for search: ${formatCount(done)} of ${formatCount(total)} sessions`, done, total };
    }
    default:
      return progress.phase satisfies never;
  }
}

/** Nothing when idle. */
export function ImportProgress({ progress }: { readonly progress: Progress }) {
  if (progress.phase === 'failed') {
    return (
      <p className={`${styles.note} ${styles.failed}`} role="alert">
        The import stopped: {progress.error ?? 'see the log for details'}. Sessions already imported are kept.
      </p>
    );
  }
  const shown = shownOf(progress);
  if (shown === null) return null;
  const { label, done, total } = shown;
  return (
    <div className={styles.progress} role="status">
      {total > 0 ? (
        <progress aria-label={label} max={total} value={Math.min(done, total)} />
      ) : (
        <progress aria-label={label} />
      )}
      <span>{label}</span>
    </div>
  );
}
