import { useRef } from 'react';
import { isFromAgent } from '../../reading/entry.ts';
import { formatClock } from '../../reading/format.ts';
import { KIND } from '../../reading/rows/columns.ts';
import type { Row } from '../../reading/rows/row.ts';
import { ItemView, type ShownEntry } from '../items/item-view.tsx';
import { type Chip, ContextChips, contextItemsOf } from './context-chips.tsx';
import { type Reader, useReader } from './reader-context.ts';
import styles from './row-view.module.css';
import { useFillMark } from './skeleton.tsx';

/** A prompt or command with what was added to it. The outline knows its beginning before it is loaded. */
export function PromptRow({ row }: { readonly row: Row }) {
  const reader = useReader();
  const { entries, density, toggled, toggle } = reader;
  const entry = entries.entryOf(row.item);
  if (entry === undefined) return <PromptExcerpt row={row} />;
  if (entry === null) return null;
  const isOpen = toggled.has(row.key);
  const chips = chipsOf(reader, row, entry);
  const sought = soughtChip(reader, row, entry, chips);
  const isClipped = !isOpen && isLong(entry);
  return (
    <div className={styles['prompt-row']}>
      <div className={isClipped ? styles['clipped'] : undefined}>
        <ItemView entry={withoutInjected(entry)} isOpen={isOpen} onToggle={() => toggle(row.key)} />
      </div>
      {isLong(entry) && (
        <button type="button" className={styles['more']} aria-expanded={isOpen} onClick={() => toggle(row.key)}>
          {isOpen ? 'Show less' : 'Show the whole prompt'}
        </button>
      )}
      {(density > 1 || sought >= 0) && <ContextChips chips={chips} sought={sought} />}
    </div>
  );
}

const MAX_CHARS = 1_600;
const MAX_LINES = 16;

/** A long prompt, often pasted text, is clipped until it is opened. */
function isLong(entry: ShownEntry): boolean {
  if (entry.kind !== 'prompt') return false;
  return entry.text.length > MAX_CHARS || entry.text.split('\n', MAX_LINES + 1).length > MAX_LINES;
}

const plain = new WeakMap<ShownEntry, ShownEntry>();

/** Injected text is shown as chips, together with the messages that were added. */
function withoutInjected(entry: ShownEntry): ShownEntry {
  if (entry.kind !== 'prompt' || entry.injected.length === 0) return entry;
  const known = plain.get(entry) ?? { ...entry, injected: [] };
  plain.set(entry, known);
  return known;
}

function chipsOf(reader: Reader, row: Row, entry: ShownEntry): readonly Chip[] {
  const own = entry.kind === 'prompt' ? entry.injected : [];
  const injected = own.map((chip) => ({ ...chip, message: null }));
  const added = contextItemsOf(reader, row.from + 1, row.to) ?? [];
  return [...injected, ...added].filter(({ text }) => text.trim() !== '');
}

/** The chip whose text a search led to; -1 for none. */
function soughtChip({ landed }: Reader, row: Row, entry: ShownEntry, chips: readonly Chip[]): number {
  if (landed === null || landed.key !== row.key) return -1;
  const { ordinal, marker } = landed;
  if (ordinal !== entry.message.ordinal) return chips.findIndex(({ message }) => message?.ordinal === ordinal);
  if (entry.kind !== 'prompt' || marker(entry.text).length > 0) return -1;
  return chips.findIndex(({ message, text }) => message === null && marker(text).length > 0);
}

function PromptExcerpt({ row }: { readonly row: Row }) {
  const { index } = useReader();
  const isPrompt = index.columns.kind[row.item] === KIND.prompt;
  const isAgent = isFromAgent(index.turns.origin[row.turn] ?? '');
  const isFirst = index.turns.ordinal[row.turn] === index.columns.ordinal[row.item];
  const time = index.columns.time[row.item] ?? Number.NaN;
  const element = useRef<HTMLDivElement>(null);
  useFillMark(element);
  return (
    <div ref={element} className={styles['prompt-row']}>
      <div className={isPrompt ? styles['prompt-excerpt'] : undefined} data-from={isAgent ? 'agent' : undefined}>
        {isPrompt && (
          <div className={styles['byline']}>{Number.isNaN(time) ? '' : formatClock(new Date(time).toISOString())}</div>
        )}
        <p className={styles['excerpt']} dir="auto">
          {isFirst ? index.turns.excerpt[row.turn] : ''}
        </p>
      </div>
    </div>
  );
}
