import type { ImportProgress, StatusReport } from '../../api/server.ts';
import { formatBytes, formatCount } from '../../reading/format.ts';

interface Shown {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

function shownOf(progress: ImportProgress): Shown | null {
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

/** Import progress; renders nothing when idle. */
export function ProgressBar({ status }: { readonly status: StatusReport }) {
  if (status.import.phase === 'failed') {
    return (
      <div className="progress progress-failed" role="alert">
        The import stopped: {status.import.error ?? 'see the log for details'}. Sessions already imported are kept.
      </div>
    );
  }
  const shown = shownOf(status.import);
  if (shown === null) return null;
  const { label, done, total } = shown;
  return (
    <div className="progress" role="status">
      {total > 0 ? (
        <progress aria-label={label} max={total} value={Math.min(done, total)} />
      ) : (
        <progress aria-label={label} />
      )}
      <span>{label}</span>
    </div>
  );
}
