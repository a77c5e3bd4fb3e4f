import { type ComponentType, lazy } from 'react';
import type { SessionDetail } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { whenReachable } from '../api/connection.ts';

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
  readonly View: ComponentType<SessionViewProps> | null;
}

const patiently =
  <T>(load: () => Promise<T>) =>
  () =>
    whenReachable().then(load);

/** The views of a session, in the order of their tabs. The code of each is loaded when it is opened. */
export const SESSION_VIEWS: readonly SessionView[] = [
  { name: null, label: 'Conversation', key: 'v', View: null },
  {
    name: 'graph',
    label: 'Graph',
    key: 'g',
    View: lazy(patiently(async () => ({ default: (await import('../depth/graph/graph-view.tsx')).GraphView }))),
  },
  {
    name: 'context',
    label: 'Context',
    key: 'c',
    View: lazy(patiently(async () => ({ default: (await import('../depth/context/context-view.tsx')).ContextView }))),
  },
  {
    name: 'waterfall',
    label: 'Waterfall',
    key: 'w',
    View: lazy(
      patiently(async () => ({ default: (await import('../depth/waterfall/waterfall-view.tsx')).WaterfallView })),
    ),
  },
  {
    name: 'cost',
    label: 'Cost',
    key: '$',
    View: lazy(patiently(async () => ({ default: (await import('../depth/cost/cost-view.tsx')).CostView }))),
  },
];
