import { type ReactNode, useEffect } from 'react';
import { plural } from '../../reading/format.ts';
import { turnsOfCommit } from '../../reading/rows/commits.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { lightTurns } from './lit-turns.ts';

interface CommitMarkProps {
  readonly index: OutlineIndex;
  readonly turn: number;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** Commits of a turn. While the pointer is on them, the turns whose work they hold light up. */
export function CommitMark({ index, turn, className, children }: CommitMarkProps) {
  useEffect(() => () => lightTurns(null), []);
  const turns = turnsOfCommit(index, turn);
  return (
    <span
      className={className}
      data-part="commits"
      title={`Holds the work of ${plural(turns.size, 'turn')}`}
      onPointerEnter={() => lightTurns(turns)}
      onPointerLeave={() => lightTurns(null)}
    >
      {children}
    </span>
  );
}
