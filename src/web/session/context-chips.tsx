import { useState } from 'react';
import type { MessageRow } from '../../api/transcript.ts';
import type { ContextItem } from '../../reading/entry.ts';
import { WithActions } from '../items/actions/with-actions.tsx';
import { TerminalOutput } from '../items/code/terminal-output.tsx';
import type { Reader } from './reader-context.ts';
import styles from './row-view.module.css';

export interface Chip {
  readonly label: string;
  readonly text: string;
  /** Null for text that is part of the prompt itself. */
  readonly message: MessageRow | null;
}

/** The context messages at these positions of the outline; null while one is not loaded. */
export function contextItemsOf({ index, entries }: Reader, from: number, to: number): readonly ContextItem[] | null {
  const items: ContextItem[] = [];
  for (let at = from; at < to; at += 1) {
    const entry = entries.entryOf(index.order[at] ?? -1);
    if (entry === undefined) return null;
    if (entry?.kind === 'context') items.push(...entry.items);
  }
  return items;
}

const MAX_CHIPS = 6;

interface ContextChipsProps {
  readonly chips: readonly Chip[];
  /** The chip that a search led to; -1 for none. */
  readonly sought: number;
}

/** Injected text, as small labels that open to show it. */
export function ContextChips({ chips, sought }: ContextChipsProps) {
  const [open, setOpen] = useState<number | null>(null);
  const [isWhole, setWhole] = useState(false);
  const [known, setKnown] = useState(-1);
  if (sought !== known) {
    setKnown(sought);
    if (sought >= 0) setOpen(sought);
  }
  if (chips.length === 0) return null;
  const shown = isWhole ? chips : chips.slice(0, MAX_CHIPS);
  const chosen = open === null ? undefined : chips[open];
  return (
    <div className={styles['chips']}>
      {shown.map(({ label }, at) => (
        <button
          key={at}
          type="button"
          className={styles['chip']}
          aria-expanded={open === at}
          onClick={() => setOpen(open === at ? null : at)}
        >
          {label}
        </button>
      ))}
      {shown.length < chips.length && (
        <button type="button" className={styles['chip']} onClick={() => setWhole(true)}>
          {chips.length - shown.length} more
        </button>
      )}
      {chosen !== undefined && (
        <div className={styles['chip-text']}>
          <ChipText chip={chosen} />
        </div>
      )}
    </div>
  );
}

function ChipText({ chip: { message, text, label } }: { readonly chip: Chip }) {
  const output = <TerminalOutput text={text} label={label} />;
  return message === null ? output : <WithActions message={message}>{output}</WithActions>;
}
