import { memo, type ReactNode, useRef } from 'react';
import { formatDay } from '../../reading/format.ts';
import type { Row } from '../../reading/rows/row.ts';
import { ContextView } from '../items/context-view.tsx';
import { ItemView, type ShownEntry } from '../items/item-view.tsx';
import { useMarks } from '../items/use-marks.ts';
import { SoughtHere } from '../items/use-unfold.ts';
import { AgentRow } from './agent-row.tsx';
import { contextItemsOf } from './context-chips.tsx';
import { InheritedRow, WaysRow } from './fold-rows.tsx';
import { GroupRow } from './group-row.tsx';
import { PromptRow } from './prompt-row.tsx';
import { useReader } from './reader-context.ts';
import styles from './row-view.module.css';
import { Skeleton } from './skeleton.tsx';
import { StripRow } from './strip-row.tsx';

/** Draws one row of a session. */
export const RowView = memo(({ row }: { readonly row: Row }) => {
  const { landed, context } = useReader();
  const root = useRef<HTMLDivElement>(null);
  useMarks(root, context.marked);
  return (
    <SoughtHere value={landed?.key === row.key ? landed.marker : null}>
      <div ref={root}>
        <AnyRow row={row} />
      </div>
    </SoughtHere>
  );
});

function AnyRow({ row }: { readonly row: Row }): ReactNode {
  switch (row.kind) {
    case 'day':
      return <DayRow row={row} />;
    case 'prompt':
      return <PromptRow row={row} />;
    case 'strip':
      return <StripRow row={row} />;
    case 'item':
      return <ItemRow row={row} />;
    case 'group':
      return <GroupRow row={row} />;
    case 'agent':
      return <AgentRow row={row} />;
    case 'ways':
      return <WaysRow row={row} />;
    case 'inherited':
      return <InheritedRow row={row} />;
    case 'context':
      return <ContextRow row={row} />;
    default:
      return row.kind satisfies never;
  }
}

function DayRow({ row }: { readonly row: Row }) {
  const { index } = useReader();
  return <h2 className={styles['day']}>{formatDay(index.columns.time[row.item] ?? 0)}</h2>;
}

function ItemRow({ row }: { readonly row: Row }) {
  const { entries, toggled, toggle } = useReader();
  const entry = entries.entryOf(row.item);
  if (entry === undefined) return <Skeleton row={row} />;
  if (entry === null) return null;
  return (
    <div className={row.isGrouped ? styles['grouped'] : styles[entry.kind]}>
      <ItemView
        entry={withSpeaker(entry, row.isFirstAnswer)}
        isOpen={toggled.has(row.key)}
        onToggle={() => toggle(row.key)}
      />
    </div>
  );
}

const spoken = new WeakMap<ShownEntry, ShownEntry>();

/** The first answer of a turn names the model. */
function withSpeaker(entry: ShownEntry, isFirst: boolean): ShownEntry {
  if (entry.kind !== 'answer' || !isFirst) return entry;
  const known = spoken.get(entry) ?? { ...entry, isNewSpeaker: true };
  spoken.set(entry, known);
  return known;
}

function ContextRow({ row }: { readonly row: Row }) {
  const reader = useReader();
  const items = contextItemsOf(reader, row.from, row.to);
  if (items === null) return <Skeleton row={row} />;
  if (items.length === 0) return null;
  return <ContextView items={items} isOpen={reader.toggled.has(row.key)} onToggle={() => reader.toggle(row.key)} />;
}
