import type { SessionDetail } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { type LazyPart, lazyPart } from '../lazy-part.tsx';

export interface SessionViewProps {
  readonly base: ApiBase;
  readonly session: SessionDetail;
  readonly index: OutlineIndex;
  /** The message in the address. */
  readonly at: number | null;
}

interface SessionView {
  /** In the address; null is the conversation. */
  readonly name: string | null;
  readonly label: string;
  readonly key: string;
  readonly View: LazyPart<SessionViewProps> | null;
}

/** The views of a session, in the order of their tabs. The code of each is loaded when it is opened. */
export const SESSION_VIEWS: readonly SessionView[] = [
  { name: null, label: 'Conversation', key: 'v', View: null },
  {
    name: 'graph',
    label: 'Graph',
    key: 'g',
    View: lazyPart(async () => (await import('../session-views/graph/graph-view.tsx')).GraphView),
  },
  {
    name: 'context',
    label: 'Context',
    key: 'c',
    View: lazyPart(async () => (await import('../session-views/context/context-view.tsx')).ContextView),
  },
  {
    name: 'waterfall',
    label: 'Waterfall',
    key: 'w',
    View: lazyPart(async () => (await import('../session-views/waterfall/waterfall-view.tsx')).WaterfallView),
  },
  {
    name: 'cost',
    label: 'Cost',
    key: '$',
    View: lazyPart(async () => (await import('../session-views/cost/cost-view.tsx')).CostView),
  },
];

/** Loads the code of all views, so that the first look at one is as quick as the second. */
export function loadViews(): void {
  for (const { View } of SESSION_VIEWS) View?.preload();
}
