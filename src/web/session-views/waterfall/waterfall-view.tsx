import { useMemo } from 'react';
import type { Waterfall } from '../../../api/session-views.ts';
import { formatDuration, plural } from '../../../reading/format.ts';
import { turnTitle } from '../../../reading/graph/facts.ts';
import { layOutCalls, type WaterfallLayout } from '../../../reading/waterfall.ts';
import { rootTurn, type OutlineIndex } from '../../../reading/rows/outline-index.ts';
import { useShortcuts } from '../../keyboard.ts';
import { useEntryState } from '../../routing/entry-state.ts';
import { useGo } from '../../routing/use-go.ts';
import type { SessionViewProps } from '../../session/views.ts';
import { ErrorNotice, Loading } from '../../shell/notice.tsx';
import { useWaterfall } from '../queries.ts';
import { CallChart } from './call-chart.tsx';
import styles from './waterfall.module.css';

const ALL = '';

/** Tool calls over time: what ran at once, and what waited for a permission. */
export function WaterfallView({ base, session, index }: SessionViewProps) {
  const { data: waterfall, error } = useWaterfall(base, session.id, index.revision);
  const [turnId, setTurnId] = useEntryState('waterfall-turn', ALL);
  const turns = useMemo(() => turnsWithCalls(index, waterfall), [index, waterfall]);
  const layout = useMemo(
    () => (waterfall === undefined ? null : layOutCalls(waterfall, chosenCalls(waterfall, turns, turnId))),
    [waterfall, turns, turnId],
  );
  const place = turns.findIndex(({ id }) => id === turnId);
  const step = (by: 1 | -1) => setTurnId(turns[Math.min(Math.max(place + by, -1), turns.length - 1)]?.id ?? ALL);
  const go = useGo();
  useShortcuts('Waterfall', [
    { keys: ['j', 'ArrowDown'], label: 'Next turn', run: () => step(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous turn', run: () => step(-1) },
    { keys: ['0'], label: 'Whole session', run: () => setTurnId(ALL) },
    {
      keys: ['Escape'],
      label: 'Whole session, or back to the conversation',
      run: () => (turnId === ALL ? go({ kind: 'session', id: session.id }, { isReplacing: true }) : setTurnId(ALL)),
    },
  ]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (waterfall === undefined || layout === null) return <Loading what="Reading the calls" />;
  return (
    <main className={`${styles['view']} print-flow`}>
      <div className={styles['page']}>
        <Headline layout={layout} />
        <label className={styles['choice']}>
          Show{' '}
          <select value={turnId} onChange={(event) => setTurnId(event.target.value)}>
            <option value={ALL}>the whole session</option>
            {turns.map(({ id, title, calls }) => (
              <option key={id} value={id}>
                {title} ({plural(calls.length, 'call')})
              </option>
            ))}
          </select>
        </label>
        {layout.bars.length === 0 ? (
          <p className={styles['empty']}>No tool calls with a time.</p>
        ) : (
          <CallChart waterfall={waterfall} layout={layout} agents={index.agents} sessionId={session.id} />
        )}
      </div>
    </main>
  );
}

/** Shorter waits are not noticeable. */
const SHOWN_WAIT_MS = 500;

function Headline({ layout }: { readonly layout: WaterfallLayout }) {
  const { bars, runningMs, waitingMs, parallel, breaks } = layout;
  return (
    <header className={styles['headline']}>
      <h2>
        {plural(bars.length, 'call')}: ran {formatDuration(runningMs)}
        {waitingMs >= SHOWN_WAIT_MS && `, waited ${formatDuration(waitingMs)}`}
      </h2>
      <p>
        At most {plural(parallel, 'call')} at once.
        {breaks.length > 0 &&
          ` ${plural(breaks.length, 'pause')} of more than a minute ${breaks.length === 1 ? 'is' : 'are'} cut short.`}
      </p>
    </header>
  );
}

interface TurnCalls {
  readonly id: string;
  readonly title: string;
  readonly calls: readonly number[];
}

/** Turns of the main conversation with their calls and those of the agents they started. */
function turnsWithCalls(index: OutlineIndex, waterfall: Waterfall | undefined): readonly TurnCalls[] {
  if (waterfall === undefined) return [];
  const { turns, agents } = index;
  const turnOf = new Map(turns.id.map((id, at) => [id, at]));
  const agentOf = new Map(agents.map(({ agent_id }, at) => [agent_id, at]));
  const homeOf = (call: number) =>
    rootTurn(
      index,
      turnOf.get(waterfall.calls.turn_id[call] ?? '') ?? -1,
      agentOf.get(waterfall.agents[waterfall.calls.agent[call] ?? -1] ?? '') ?? -1,
    );
  return [...Map.groupBy(waterfall.calls.ordinal.keys(), homeOf)]
    .filter(([turn]) => turn >= 0)
    .sort(([a], [b]) => a - b)
    .map(([turn, calls]) => ({ id: turns.id[turn] ?? '', title: turnTitle(index, turn), calls }));
}

function chosenCalls({ calls }: Waterfall, turns: readonly TurnCalls[], turnId: string): readonly number[] {
  return turns.find(({ id }) => id === turnId)?.calls ?? [...calls.ordinal.keys()];
}
