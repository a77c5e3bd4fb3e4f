import { placeOf } from '../../reading/entry.ts';
import { withoutMarks } from '../../reading/format.ts';
import { describeAgent } from '../../reading/parts.ts';
import { KIND } from '../../reading/rows/columns.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Row } from '../../reading/rows/row.ts';
import { WithActions } from '../items/actions/with-actions.tsx';
import type { MessageRange } from '../items/copy-markdown.ts';
import { Chevron } from './chevron.tsx';
import { useReader } from './reader-context.ts';
import styles from './agent-row.module.css';

/** A sub-agent or teammate: what it is, what it cost, how it ended, and its last words. */
export function AgentRow({ row }: { readonly row: Row }) {
  const { index, entries, toggled, toggle } = useReader();
  const agent = index.agents[row.from];
  if (agent === undefined) return null;
  const isOpen = toggled.has(row.key);
  const { name, description, facts, state } = describeAgent(agent);
  const shown = (
    <button type="button" className={styles['agent']} aria-expanded={isOpen} onClick={() => toggle(row.key)}>
      <Chevron />
      <span className={styles['name']} data-part="name">
        {name}
      </span>
      <bdi className={styles['task']}>{description}</bdi>
      <span className={styles['facts']}>
        {state !== '' && <span className={styles['state']}>{state}</span>}
        <span data-part="facts">{facts}</span>
      </span>
      {!isOpen && <bdi className={styles['last']}>{withoutMarks(agent.last_line ?? '')}</bdi>}
    </button>
  );
  const call = entries.entryOf(actedItemOf(index, row.from));
  if (call === undefined || call === null) return shown;
  return (
    <WithActions
      message={call.message}
      block={placeOf(call).block}
      call={call.kind === 'tool' ? call.call : null}
      range={conversationOf(index, row.from)}
    >
      {shown}
    </WithActions>
  );
}

/** Actions of an agent are those of the call that started it; of its last answer if that call is not known. */
export function actedItemOf(index: OutlineIndex, agent: number): number {
  const call = index.callOf[agent] ?? -1;
  return call >= 0 ? call : lastAnswerOf(index, agent);
}

function conversationOf({ columns, agents, firstOfAgent, lastOfAgent }: OutlineIndex, agent: number): MessageRange {
  const ordinalOf = (item: number) => columns.ordinal[item] ?? 0;
  const [first = 0, last = 0] = [firstOfAgent[agent], lastOfAgent[agent]];
  return { from: ordinalOf(first), to: ordinalOf(last), agentId: agents[agent]?.agent_id ?? null };
}

/** The last answer of an agent; -1 if it gave none. */
function lastAnswerOf({ columns, lastOfAgent, firstOfAgent }: OutlineIndex, agent: number): number {
  const first = firstOfAgent[agent] ?? -1;
  if (first < 0) return -1;
  for (let item = lastOfAgent[agent] ?? -1; item >= first; item -= 1)
    if (columns.agent[item] === agent && columns.kind[item] === KIND.answer) return item;
  return -1;
}
