import type { ReactNode } from 'react';
import type { EntryKind } from '../../../reading/entry.ts';
import styles from './actions.module.css';
import { ItemActions, type ItemActionsProps } from './item-actions.tsx';

interface WithActionsProps extends ItemActionsProps {
  /** What it is; the actions of a prompt lie inside its frame. */
  readonly kind?: EntryKind;
  readonly children: ReactNode;
}

/** An item with what can be done with it: shown for the one under the pointer and the one with the focus. */
export function WithActions({ children, kind, ...of }: WithActionsProps) {
  return (
    <div className={styles['item']} data-entry={kind}>
      {children}
      <ItemActions {...of} />
    </div>
  );
}
