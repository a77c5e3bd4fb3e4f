import { GitCommitHorizontal } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { shortSha } from '../../domain/commits.ts';
import { plural } from '../../reading/format.ts';
import { type Commit, commitName, NO_OUTPUT, commitsOf, turnsOfCommit } from '../../reading/rows/commits.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { lightTurns } from './lit-turns.ts';
import styles from './commit-mark.module.css';

/** Highlights the turns whose work the commits contain, while the pointer or the focus is on them. */
function useLight(index: OutlineIndex, turn: number) {
  useEffect(() => () => lightTurns(null), []);
  const light = () => lightTurns(turnsOfCommit(index, turn));
  const leave = () => lightTurns(null);
  return { onPointerEnter: light, onPointerLeave: leave, onFocus: light, onBlur: leave };
}

interface CommitMarkProps {
  readonly index: OutlineIndex;
  readonly turn: number;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** Commits of a turn, as a number. */
export function CommitMark({ index, turn, className, children }: CommitMarkProps) {
  const light = useLight(index, turn);
  const names = commitsOf(index, turn).map(commitName);
  const title = [...names, `Holds the work of ${plural(turnsOfCommit(index, turn).size, 'turn')}`].join('\n');
  return (
    <span className={className} data-part="commits" title={title} {...light}>
      {children}
    </span>
  );
}

interface CommitListProps {
  readonly index: OutlineIndex;
  readonly turn: number;
  readonly onOpen: (commit: Commit) => void;
}

const MAX_SHOWN = 3;

/** Commits of a turn, each with its hash and its subject. */
export function CommitList({ index, turn, onOpen }: CommitListProps) {
  const [isWhole, setWhole] = useState(false);
  const light = useLight(index, turn);
  const commits = commitsOf(index, turn);
  if (commits.length === 0) return null;
  const shown = isWhole || commits.length === MAX_SHOWN + 1 ? commits : commits.slice(0, MAX_SHOWN);
  return (
    <ul className={styles['list']} data-part="commits" {...light}>
      {shown.map((commit, at) => (
        <li key={at}>
          <button
            type="button"
            className={styles['commit']}
            aria-label={`Go to commit ${commitName(commit)}`}
            title={commit.message ?? undefined}
            onClick={() => onOpen(commit)}
          >
            <GitCommitHorizontal size={13} aria-hidden="true" />
            {commit.sha !== null && <code>{shortSha(commit.sha)}</code>}
            <bdi className={styles['subject']}>{commit.message ?? (commit.sha === null ? NO_OUTPUT : '')}</bdi>
          </button>
        </li>
      ))}
      {shown.length < commits.length && (
        <li>
          <button type="button" className={styles['commit']} onClick={() => setWhole(true)}>
            {plural(commits.length - shown.length, 'more commit')}
          </button>
        </li>
      )}
    </ul>
  );
}
