import type { ItemKind } from '../../domain/outline.ts';
import type { Row } from '../../reading/rows/row.ts';
import { type Tick, type WorkPart, workOf, workParts, workText } from '../../reading/rows/work.ts';
import { stripKey } from '../../reading/rows/row.ts';
import { CommitMark } from './commit-mark.tsx';
import { Chevron } from './chevron.tsx';
import { useReader } from './reader-context.ts';
import styles from './strip.module.css';

/** Summary of a turn: one tick per step and a sentence; unfolds to the steps. */
export function StripRow({ row }: { readonly row: Row }) {
  const { index, toggle } = useReader();
  const work = workOf(index, row.turn);
  const parts = workParts(index, row.turn, work);
  const hasSteps = work.ticks.length > 0 || work.agents > 0 || (work.counts.answer ?? 0) > 1;
  const content = (
    <span className={styles['content']}>
      <Ticks ticks={work.ticks} />
      <span className={styles['sentence']} data-part="work">
        {parts.map((part, at) => (
          <Part key={at} part={part} turn={row.turn} />
        ))}
      </span>
    </span>
  );
  if (!hasSteps) return <p className={styles['strip']}>{content}</p>;
  return (
    <button
      type="button"
      className={styles['strip']}
      aria-expanded={row.isUnfolded}
      aria-label={`Work: ${workText(parts)}`}
      onClick={() => toggle(stripKey(index, row.turn))}
    >
      <Chevron />
      {content}
    </button>
  );
}

interface PartProps {
  readonly part: WorkPart;
  readonly turn: number;
}

function Part({ part: { kind, text, failed, denied, isCommit }, turn }: PartProps) {
  const { index } = useReader();
  if (isCommit === true)
    return (
      <CommitMark index={index} turn={turn} className={styles['part']}>
        {text}
      </CommitMark>
    );
  return (
    <span className={styles['part']} data-tone={kind === null ? undefined : toneOf(kind)}>
      {text}
      {failed > 0 && (
        <>
          , <span className={styles['failed']}>{failed} failed</span>
        </>
      )}
      {denied > 0 && `, ${denied} denied`}
    </span>
  );
}

function Ticks({ ticks }: { readonly ticks: readonly Tick[] }) {
  if (ticks.length === 0) return null;
  return (
    <span className={styles['ticks']} aria-hidden="true">
      {ticks.map(({ kind, isError, count }, at) => (
        <span
          key={at}
          className={styles['tick']}
          data-tone={isError ? 'error' : toneOf(kind)}
          data-wide={count > 1 || undefined}
        />
      ))}
    </span>
  );
}

const TONES: Readonly<Partial<Record<ItemKind, string>>> = {
  read: 'read',
  write: 'write',
  run: 'run',
  web: 'web',
  mcp: 'web',
  agent: 'agent',
  error: 'error',
};

export function toneOf(kind: ItemKind): string {
  return TONES[kind] ?? 'system';
}
