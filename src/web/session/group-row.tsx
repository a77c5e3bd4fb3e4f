import { FileText } from 'lucide-react';
import { fileName } from '../../domain/file-path.ts';
import type { Row } from '../../reading/rows/row.ts';
import { KIND } from '../../reading/rows/columns.ts';
import { type Reader, useReader } from './reader-context.ts';
import styles from './row-view.module.css';
import { Skeleton } from './skeleton.tsx';

const MAX_NAMES = 5;

/** Consecutive calls that only read, in one line. */
export function GroupRow({ row }: { readonly row: Row }) {
  const reader = useReader();
  const { count, names } = readGroup(reader, row);
  if (names === null) return <Skeleton row={row} />;
  const more = count - names.length;
  return (
    <button
      type="button"
      className={styles['group']}
      aria-expanded={reader.toggled.has(row.key)}
      onClick={() => reader.toggle(row.key)}
    >
      <FileText size={15} aria-hidden="true" />
      <strong>{count} reads</strong>
      <bdi className={styles['about']}>
        {names.join(' · ')}
        {more > 0 ? ` and ${more} more` : ''}
      </bdi>
    </button>
  );
}

/** Only the first few are needed, so that a long run does not have to be loaded. */
function readGroup({ index, entries }: Reader, { from, to }: Row) {
  const names: string[] = [];
  let count = 0;
  let isLoaded = true;
  for (let at = from; at < to; at += 1) {
    const item = index.order[at] ?? -1;
    if (index.columns.kind[item] !== KIND.read) continue;
    count += 1;
    if (count > MAX_NAMES) continue;
    const entry = entries.entryOf(item);
    if (entry === undefined) isLoaded = false;
    if (entry?.kind === 'tool') names.push(shortName(entry.call.about));
  }
  return { count, names: isLoaded ? names : null };
}

const PATH = /^(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.~@+-]+)+$/;

/** The last part of a path; patterns as they are. */
function shortName(about: string): string {
  return PATH.test(about) ? fileName(about) : about;
}

export function groupItems({ index }: Pick<Reader, 'index'>, { from, to }: Row): readonly number[] {
  const items: number[] = [];
  for (let at = from; at < to && items.length < MAX_NAMES; at += 1) {
    const item = index.order[at] ?? -1;
    if (index.columns.kind[item] === KIND.read) items.push(item);
  }
  return items;
}
