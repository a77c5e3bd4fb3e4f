import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ApiBase } from '../../client/client.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import { CLIENTS } from '../api/client.ts';
import { onMessages } from '../api/live.ts';
import { actedItemOf } from './agent-row.tsx';
import { Content, type FetchMessages } from './content.ts';
import { createEntries, createKnownEntries, type Entries } from './entries.ts';
import { groupItems } from './group-row.tsx';
import type { VisibleRows } from './row-scroller.tsx';

interface ContentOptions {
  readonly base: ApiBase;
  readonly id: string;
  readonly cwd: string | null;
  readonly index: OutlineIndex;
  readonly list: RowList;
  /** All rows are wanted, not only those in view. */
  readonly isWhole: boolean;
}

export interface LoadedContent {
  readonly entries: Entries;
  readonly error: Error | null;
  readonly retry: () => void;
  /** All rows are in the document or wanted, and their messages are loaded. */
  readonly isComplete: boolean;
  /** Loads the messages of these rows. */
  readonly show: (rows: VisibleRows) => void;
}

/** Loads the messages of the rows in view, and takes in those of a running session. */
export function useContent({ base, id, cwd, index, list, isWhole }: ContentOptions): LoadedContent {
  const [content] = useState(() => new Content(fetchFrom(base, id)));
  const [known] = useState(createKnownEntries);
  const version = useSyncExternalStore(content.subscribe, content.version);
  useEffect(() => onMessages(base, id, content.put), [base, id, content]);
  useEffect(() => content.grow(), [content, index]);
  // oxlint-disable-next-line react/exhaustive-deps -- other entries are built when the content has changed
  const entries = useMemo(() => createEntries(index, content, cwd, known), [index, content, cwd, known, version]);
  const [shown, show] = useState<VisibleRows>({ first: 0, last: -1 });
  const { first, last } = isWhole ? { first: 0, last: list.count - 1 } : shown;
  const ordinals = useMemo(() => ordinalsOf(index, list, { first, last }), [index, list, first, last]);
  const retry = useCallback(() => content.want(ordinals), [content, ordinals]);
  useEffect(retry, [retry]);
  const isComplete = first === 0 && last >= list.count - 1 && content.has(ordinals);
  return { entries, error: content.error, isComplete, retry, show };
}

function fetchFrom(base: ApiBase, id: string): FetchMessages {
  return async (query) => {
    const page = await CLIENTS[base].get('/sessions/:id/transcript', { params: { id }, query });
    return page.messages;
  };
}

/** The positions of all messages that these rows need. */
function ordinalsOf(index: OutlineIndex, list: RowList, { first, last }: VisibleRows): Set<number> {
  const { columns, order } = index;
  const ordinals = new Set<number>();
  const add = (item: number) => {
    if (item < 0) return;
    ordinals.add(columns.ordinal[item] as number);
    if ((columns.result[item] as number) >= 0) ordinals.add(columns.result[item] as number);
  };
  for (let at = first; at <= Math.min(last, list.count - 1); at += 1) {
    const row = list.at(at);
    if (row.kind === 'item') add(row.item);
    else if (row.kind === 'group') for (const item of groupItems({ index }, row)) add(item);
    else if (row.kind === 'agent') add(actedItemOf(index, row.from));
    else if (row.kind === 'prompt' || row.kind === 'context')
      for (let position = row.from; position < row.to; position += 1) add(order[position] as number);
  }
  return ordinals;
}
