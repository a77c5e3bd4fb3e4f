import { useMemo } from 'react';
import type { SessionCosts } from '../../../api/session-work.ts';
import { fileName } from '../../../domain/file-path.ts';
import { costByTurn, type TurnCost } from '../../../reading/cost-by-turn.ts';
import { firstLine, formatCompact, formatNanos, formatPercent, plural } from '../../../reading/format.ts';
import { withoutFolder } from '../../../reading/call-summary.ts';
import { agentName } from '../../../reading/graph/agents.ts';
import { turnTitle } from '../../../reading/graph/facts.ts';
import type { OutlineIndex } from '../../../reading/rows/outline-index.ts';
import { PathText } from '../../items/path-text.tsx';
import { useShortcuts } from '../../keyboard.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useGo } from '../../routing/use-go.ts';
import type { SessionViewProps } from '../../session/views.ts';
import { ErrorNotice, Loading } from '../../shell/notice.tsx';
import { useSessionCosts } from '../queries.ts';
import styles from './cost.module.css';

const MAX_TURNS = 100;
const MAX_AGENTS = 12;
const MAX_TITLE_CHARS = 80;

/** Why a session cost what it did: turns, agents, and the files that filled its context. */
export function CostView({ base, session, index }: SessionViewProps) {
  const { data: costs, error } = useSessionCosts(base, session.id, index.revision);
  const turns = useMemo(() => (costs === undefined ? [] : costByTurn(index, costs)), [costs, index]);
  const names = useMemo(() => new Map(index.agents.map((agent) => [agent.agent_id, agentName(agent)])), [index]);
  const go = useGo();
  useShortcuts('Cost', [
    {
      keys: ['o'],
      label: 'Open the most expensive turn',
      run: () => go({ kind: 'session', id: session.id, at: ordinalOf(index, turns[0]) }),
    },
    {
      keys: ['Escape'],
      label: 'Back to the conversation',
      run: () => go({ kind: 'session', id: session.id }, { isReplacing: true }),
    },
  ]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (costs === undefined) return <Loading what="Adding up the cost" />;
  const most = Math.max(...turns.map(({ totalNanos }) => totalNanos), 1);
  return (
    <main className={`${styles['view']} print-flow`}>
      <div className={styles['page']}>
        <Headline costs={costs} turns={turns} index={index} sessionId={session.id} unknown={session.unknown_models} />
        <div className={styles['columns']}>
          <section aria-labelledby="turns">
            <h3 id="turns">By turn</h3>
            <ol className={styles['turns']}>
              {turns.slice(0, MAX_TURNS).map((turn) => (
                <TurnRow key={turn.turn} cost={turn} most={most} {...{ costs, index, names }} sessionId={session.id} />
              ))}
            </ol>
            {turns.length > MAX_TURNS && <Rest turns={turns.slice(MAX_TURNS)} />}
          </section>
          <section aria-labelledby="files">
            <h3 id="files">Files read into the context</h3>
            <Files costs={costs} sessionId={session.id} cwd={session.cwd} />
          </section>
        </div>
      </div>
    </main>
  );
}

function ordinalOf({ turns }: OutlineIndex, cost: TurnCost | undefined): number {
  return turns.ordinal[cost?.turn ?? -1] ?? 0;
}

function titleOf(index: OutlineIndex, { turn }: TurnCost): string {
  return turn < 0 ? 'Outside of turns' : turnTitle(index, turn);
}

interface HeadlineProps {
  readonly costs: SessionCosts;
  readonly turns: readonly TurnCost[];
  readonly index: OutlineIndex;
  readonly sessionId: string;
  readonly unknown: readonly string[];
}

function Headline({ costs: { total, files }, turns, index, sessionId, unknown }: HeadlineProps) {
  const [first] = turns;
  const cost = total.cost_nanos;
  const title = first === undefined ? '' : firstLine(titleOf(index, first), MAX_TITLE_CHARS);
  const often = files.toSorted((a, b) => b.reads - a.reads)[0];
  return (
    <header className={styles['headline']}>
      <h2>Why {formatNanos(cost, unknown)}?</h2>
      <p>
        {first !== undefined && first.totalNanos > 0 && cost !== null && (
          <>
            {formatPercent(first.totalNanos, cost)} went into{' '}
            <PageLink page={{ kind: 'session', id: sessionId, at: ordinalOf(index, first) }} className={styles['link']}>
              “<bdi>{title}</bdi>”
            </PageLink>
            .{' '}
          </>
        )}
        {often !== undefined && often.reads > 1 && (
          <>
            <PageLink
              page={{ kind: 'session', id: sessionId, at: often.ordinal, block: often.block }}
              className={styles['link']}
            >
              <bdi>{fileName(often.path)}</bdi>
            </PageLink>{' '}
            was read {often.reads} times.
          </>
        )}
      </p>
      <p>
        {formatCompact(total.tokens_in)} input, {formatCompact(total.cache_read_tokens)} cache read,{' '}
        {formatCompact(total.cache_write_tokens)} cache write, {formatCompact(total.tokens_out)} output tokens in{' '}
        {plural(total.messages, 'answer')}. An agent counts for the turn that started it.
      </p>
    </header>
  );
}

interface TurnRowProps {
  readonly cost: TurnCost;
  readonly most: number;
  readonly costs: SessionCosts;
  readonly index: OutlineIndex;
  readonly names: ReadonlyMap<string, string>;
  readonly sessionId: string;
}

function TurnRow({ cost, most, costs, index, names, sessionId }: TurnRowProps) {
  const { agents, ownNanos, totalNanos, unpriced } = cost;
  const all = costs.total.cost_nanos ?? 0;
  const rest = agents.slice(MAX_AGENTS);
  return (
    <li>
      <PageLink page={{ kind: 'session', id: sessionId, at: ordinalOf(index, cost) }} className={styles['turn']}>
        <bdi className={styles['title']}>{titleOf(index, cost)}</bdi>
        <span className={styles['amount']}>
          {formatNanos(totalNanos)}
          {unpriced > 0 && '+?'}
        </span>
        <span className={styles['share']}>{formatPercent(totalNanos, all)}</span>
      </PageLink>
      <ShareBar parts={[ownNanos, ...agents.map(({ nanos }) => nanos)]} of={most} />
      {agents.length > 0 && (
        <ul className={styles['agents']}>
          {agents.slice(0, MAX_AGENTS).map(({ agent, nanos }) => (
            <li key={agent}>
              <bdi>{names.get(index.agents[agent]?.agent_id ?? '') ?? 'agent'}</bdi> <span>{formatNanos(nanos)}</span>
            </li>
          ))}
          {rest.length > 0 && (
            <li>
              {plural(rest.length, 'more agent')}{' '}
              <span>{formatNanos(rest.reduce((sum, { nanos }) => sum + nanos, 0))}</span>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Rest({ turns }: { readonly turns: readonly TurnCost[] }) {
  const nanos = turns.reduce((sum, { totalNanos }) => sum + totalNanos, 0);
  return (
    <p className={styles['empty']}>
      {plural(turns.length, 'more turn')}: {formatNanos(nanos)}
    </p>
  );
}

interface FilesProps {
  readonly costs: SessionCosts;
  readonly sessionId: string;
  readonly cwd: string | null;
}

function Files({ costs: { files }, sessionId, cwd }: FilesProps) {
  if (files.length === 0) return <p className={styles['empty']}>No file was read.</p>;
  return (
    <table className={styles['files']}>
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col">Times</th>
          <th scope="col">Tokens (estimated)</th>
        </tr>
      </thead>
      <tbody>
        {files.map(({ path, reads, tokens, ordinal, block }) => (
          <tr key={path}>
            <th scope="row">
              <PageLink page={{ kind: 'session', id: sessionId, at: ordinal, block }}>
                <PathText path={withoutFolder(path, cwd)} />
              </PageLink>
            </th>
            <td>{reads}</td>
            <td>{formatCompact(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ShareBarProps {
  /** The turn itself, then its agents. */
  readonly parts: readonly number[];
  readonly of: number;
}

const WIDTH = 1_000;

/** A bar for a cost, relative to the greatest one. The amounts are written beside it. */
function ShareBar({ parts, of }: ShareBarProps) {
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, part) => sum + part, 0));
  return (
    <svg className={styles['bar']} viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map((part, at) => (
        <rect
          key={at}
          data-part={at === 0 ? 'own' : 'agent'}
          x={((starts[at] ?? 0) / of) * WIDTH}
          y={0}
          width={(part / of) * WIDTH}
          height={1}
        />
      ))}
    </svg>
  );
}
