import { useEffect, useMemo, useRef, useState } from 'react';
import type { EntryKind } from '../../reading/entry.ts';
import type { ItemContext } from '../items/item-view.tsx';
import { isOnControl, useKeys } from '../keyboard.ts';
import { VirtualList, type VirtualHandle } from '../virtual-list.tsx';
import { RowView } from './row-view.tsx';
import { agentKey, buildRows, findRow, hiddenIn, type Row, type Transcript } from './rows.ts';

const ESTIMATED_PX: Readonly<Record<EntryKind | 'agent', number>> = {
  prompt: 110,
  command: 40,
  answer: 130,
  thinking: 34,
  tool: 34,
  result: 90,
  media: 34,
  notice: 44,
  compaction: 64,
  summary: 38,
  context: 34,
  agent: 38,
  empty: 0,
};
const PADDING_PX = { start: 16, end: 120 };
const MAX_SHOWN_DEPTH = 3;

interface TranscriptListProps {
  readonly transcript: Transcript;
  readonly isComplete: boolean;
  /** The message to start at, from a search. */
  readonly at: number | null;
  readonly context: ItemContext;
  readonly onLeave: () => void;
}

export function TranscriptList({ transcript, isComplete, at, context, onLeave }: TranscriptListProps) {
  const { openKeys, toggle, open } = useOpenKeys();
  const rows = useMemo(() => buildRows(transcript, openKeys), [transcript, openKeys]);
  const list = useRef<VirtualHandle>(null);
  const [current, setCurrent] = useState(-1);
  const show = (index: number, align: Align) => {
    setCurrent(index);
    list.current?.scrollTo(index, align);
  };
  useStartAt({ rows, at, open, show });
  useTranscriptKeys({ rows, current, show, toggle, onLeave });
  return (
    <VirtualList
      rows={rows}
      rowKey={(row) => `${row.depth}/${row.key}`}
      estimatePx={(row) => ESTIMATED_PX[kindOf(row)]}
      rowAttributes={(row, index) => ({
        className: rowClass(row, index === current),
        role: 'article',
        'aria-posinset': index + 1,
        'aria-setsize': isComplete ? rows.length : -1,
      })}
      renderRow={(row) => <RowView row={row} openKeys={openKeys} onToggle={toggle} context={context} />}
      handle={list}
      attributes={{
        className: 'scroll transcript',
        role: 'feed',
        'aria-label': 'Transcript',
        'aria-busy': !isComplete,
        tabIndex: 0,
      }}
      paddingPx={PADDING_PX}
    />
  );
}

type Align = 'start' | 'center' | 'auto';

function kindOf(row: Row): EntryKind | 'agent' {
  return row.kind === 'agent' ? row.kind : row.entry.kind;
}

function isPrompt(row: Row | undefined): boolean {
  return row?.kind === 'entry' && row.entry.kind === 'prompt';
}

function rowClass(row: Row, isCurrent: boolean): string {
  const depth = Math.min(row.depth, MAX_SHOWN_DEPTH);
  return `virtual-row entry entry-${kindOf(row)} depth-${depth}${isCurrent ? ' current' : ''}`;
}

function useOpenKeys() {
  const [openKeys, setOpenKeys] = useState<ReadonlySet<string>>(new Set());
  const change = useMemo(() => {
    const update = (key: string, isOpen: (wasOpen: boolean) => boolean) =>
      setOpenKeys((keys) => {
        const next = new Set(keys);
        if (isOpen(next.delete(key))) next.add(key);
        return next;
      });
    return {
      toggle: (key: string) => update(key, (wasOpen) => !wasOpen),
      open: (key: string) => update(key, () => true),
    };
  }, []);
  return { openKeys, ...change };
}

interface StartAt {
  readonly rows: readonly Row[];
  readonly at: number | null;
  readonly open: (key: string) => void;
  readonly show: (index: number, align: Align) => void;
}

/** Scrolls to the message once it is loaded, expanding the sub-agent and the row that hide it. */
function useStartAt({ rows, at, open, show }: StartAt): void {
  const reached = useRef<number | null>(null);
  const opened = useRef<string | null>(null);
  useEffect(() => {
    if (at === null || reached.current === at) return;
    const index = findRow(rows, at);
    const row = rows[index];
    if (row === undefined) return;
    const inside = hiddenIn(row, at);
    if (inside !== null && opened.current !== inside) {
      opened.current = inside;
      open(inside);
      return;
    }
    reached.current = at;
    if (row.kind !== 'agent') open(row.key);
    show(index, 'center');
  }, [rows, at, open, show]);
}

interface TranscriptKeys {
  readonly rows: readonly Row[];
  readonly current: number;
  readonly show: (index: number, align: Align) => void;
  readonly toggle: (key: string) => void;
  readonly onLeave: () => void;
}

/** j and k move between rows, n and p between prompts; Shift+Enter expands the sub-agent of a call. */
function useTranscriptKeys({ rows, current, show, toggle, onLeave }: TranscriptKeys): void {
  const move = (step: number) => show(Math.min(Math.max(current + step, 0), rows.length - 1), 'auto');
  const toPrompt = (step: number) => {
    let index = current + step;
    while (rows[index] !== undefined && !isPrompt(rows[index])) index += step;
    if (rows[index] !== undefined) show(index, 'start');
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    n: () => toPrompt(1),
    p: () => toPrompt(-1),
    Home: () => move(-rows.length),
    End: () => move(rows.length),
    Enter: (event) => {
      const row = rows[current];
      if (isOnControl(event)) (event.target as HTMLElement).click();
      else if (row !== undefined) {
        const agent = row.kind === 'entry' && event.shiftKey ? row.agents[0] : undefined;
        toggle(agent === undefined ? row.key : agentKey(row.key, agent.subagent.agent_id));
      }
    },
    Escape: onLeave,
  });
}
