import { type RefObject, useMemo, useState } from 'react';
import type { SessionDetail } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { stateOf } from '../../reading/session-facts.ts';
import type { Marker } from '../items/marker.ts';
import { useEntryStore } from '../routing/entry-state.ts';
import type { OpenedSearch } from './find-bar.tsx';
import type { ReaderState } from './reader-state.ts';
import { useLinks } from './queries.ts';
import type { Reader } from './reader-context.ts';
import type { Move, ScrollerHandle, Start } from './row-scroller.tsx';
import { type LoadedContent, useContent } from './use-content.ts';
import { useFollow } from './use-follow.ts';
import { type Navigation, useNavigation } from './use-navigation.ts';
import { type Print, usePrint } from './use-print.ts';
import { type Rows, useRows } from './use-rows.ts';
import { useJumps, useSaved, useStart } from './use-start.ts';

export interface ReaderOptions {
  readonly base: ApiBase;
  readonly session: SessionDetail;
  readonly index: OutlineIndex;
  /** The message in the address. */
  readonly at: number | null;
  /** The part of that message; null for its beginning. */
  readonly block: number | null;
  /** The search that led here. */
  readonly search: OpenedSearch | null;
}

export interface ReaderModel {
  readonly rows: Rows;
  readonly start: Start | null;
  readonly content: LoadedContent;
  readonly print: Print;
  readonly navigation: Navigation;
  readonly follow: { readonly newBelow: number; readonly catchUp: () => void };
  readonly onMove: (move: Move) => void;
}

const STATE_NAME = 'reading';

/** Everything behind a session page: rows, their text, where the reader is, and what is kept of it. */
export function useReaderModel(
  { base, session, index, at, block }: ReaderOptions,
  scroller: RefObject<ScrollerHandle | null>,
): ReaderModel {
  const store = useEntryStore();
  const [saved] = useState(() => store.read<ReaderState>(STATE_NAME) ?? null);
  const rows = useRows(index, saved, at, block ?? undefined);
  const { list, toggled, density } = rows;
  const start = useStart({ saved, list, startItem: rows.startItem });
  const [isPrinting, setPrinting] = useState(false);
  const content = useContent({ base, id: session.id, cwd: session.cwd, index, list, isWhole: isPrinting });
  const print = usePrint({ rows, content, isPrinting, setPrinting });
  const selectedAtStart = rows.startItem < 0 || start === null ? (saved?.selected ?? null) : list.keyAt(start.row);
  const navigation = useNavigation({ index, rows, scroller, selectedAtStart });
  useJumps(at, block, navigation.jumpTo);
  const { onMove, ...follow } = useFollow(index, scroller);
  const { selected } = navigation;
  useSaved(() => {
    const anchor = scroller.current?.anchor() ?? null;
    if (anchor === null) return;
    const state: ReaderState = { density, toggled: [...toggled], selected, anchor };
    store.write(STATE_NAME, state);
  });
  return { rows, start, content, print, navigation, follow, onMove };
}

interface SharedOptions extends ReaderOptions {
  readonly model: ReaderModel;
  readonly marked: Marker | null;
}

/** State shared by the rows. */
export function useSharedReader({ base, session, index, model, marked }: SharedOptions): Reader {
  const { id } = session;
  const { list, density, toggled, toggle } = model.rows;
  const { entries } = model.content;
  const { landed } = model.navigation;
  const { data: links } = useLinks(base, id, list.count > 0 && list.kindAt(0) === 'inherited');
  const runningFrom = stateOf(session) === 'live' ? lastTurnOf(index) : null;
  const context = useMemo(() => ({ base, sessionId: id, marked, runningFrom }), [base, id, marked, runningFrom]);
  const copiedFrom = links?.links.find(({ lines }) => lines > 0)?.other_session_id ?? null;
  return useMemo(
    () => ({ index, entries, density, toggled, toggle, landed, context, copiedFrom }),
    [index, entries, density, toggled, toggle, landed, context, copiedFrom],
  );
}

/** The first message of the last turn. */
function lastTurnOf({ tree, turns }: OutlineIndex): number | null {
  return turns.ordinal[tree.rootsOf(-1).at(-1) ?? -1] ?? null;
}
