import { useId } from 'react';
import type { SessionContext } from '../../../api/session-views.ts';
import { agentName } from '../../../reading/graph/agents.ts';
import { formatCompact, formatRound, shortModel } from '../../../reading/format.ts';
import { ErrorNotice, Loading } from '../../shell/notice.tsx';
import { useEntryState } from '../../routing/entry-state.ts';
import type { SessionViewProps } from '../../session/views.ts';
import { useContextOf } from '../queries.ts';
import { CompactionDiffView } from './compaction-diff-view.tsx';
import { ContextChart } from './context-chart.tsx';
import styles from './context.module.css';

const MAIN = '';

/** How full the context was, of what, and what compactions lost. */
export function ContextView(props: SessionViewProps) {
  const { base, session, index, at } = props;
  const [agentId, setAgentId] = useEntryState('context-agent', MAIN);
  const { data: context, error } = useContextOf(base, session.id, agentId, index.revision);
  const [chosen, setChosen] = useEntryState('context-compaction', at);
  if (error !== null) return <ErrorNotice error={error} />;
  if (context === undefined) return <Loading what="Adding up the context" />;
  const compaction = context.compactions.find(({ ordinal }) => ordinal === chosen) ?? null;
  return (
    <main className={`${styles['view']} print-flow`}>
      <div className={styles['page']}>
        <Headline context={context} />
        <AgentChoice {...props} value={agentId} onChange={setAgentId} />
        {context.points.ordinal.length === 0 ? (
          <p className={styles['empty']}>No answer in this conversation reports its tokens.</p>
        ) : (
          <ContextChart
            key={agentId}
            context={context}
            index={index}
            sessionId={session.id}
            chosen={compaction?.ordinal ?? null}
            onChoose={(ordinal) => setChosen(ordinal === chosen ? null : ordinal)}
          />
        )}
        {compaction !== null && (
          <CompactionDiffView key={compaction.id} base={base} sessionId={session.id} compactionId={compaction.id} />
        )}
      </div>
    </main>
  );
}

function Headline({ context: { points, window, model, most_tokens } }: { readonly context: SessionContext }) {
  const now = points.total.at(-1) ?? null;
  if (now === null) return null;
  const share =
    window === null ? ' tokens' : ` of ${formatRound(window)} tokens (${Math.round((now / window) * 100)}%)`;
  return (
    <header className={styles['headline']}>
      <h2>
        {formatCompact(now)}
        {share} at the end
      </h2>
      <p>
        Peak {formatCompact(most_tokens)} tokens
        {model === null ? '' : ` · ${shortModel(model)}`}. Totals are exact. Their parts are estimated from the size of
        the messages; the rest counts as system and tools.
      </p>
    </header>
  );
}

interface AgentChoiceProps extends SessionViewProps {
  readonly value: string;
  readonly onChange: (agentId: string) => void;
}

function AgentChoice({ index, value, onChange }: AgentChoiceProps) {
  const name = useId();
  if (index.agents.length === 0) return null;
  return (
    <label className={styles['choice']} htmlFor={name}>
      Conversation{' '}
      <select id={name} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value={MAIN}>Main</option>
        {index.agents.map((agent) => (
          <option key={agent.agent_id} value={agent.agent_id}>
            {agentName(agent)}
          </option>
        ))}
      </select>
    </label>
  );
}
