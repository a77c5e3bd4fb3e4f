import { memo } from 'react';
import { ItemView, type Item, type ItemContext, type ShownEntry } from '../items/item-view.tsx';
import { AgentToggle } from './agent-toggle.tsx';
import { agentKey, type Row } from './rows.ts';

export interface RowProps {
  readonly row: Row;
  readonly openKeys: ReadonlySet<string>;
  /** Expands or collapses the element with this key. */
  readonly onToggle: (key: string) => void;
  readonly context: ItemContext;
}

function itemOf({ key, message }: ShownEntry): Item {
  const block = key === message.id ? -1 : Number(key.slice(message.id.length + 1));
  return { ordinal: message.ordinal, block };
}

function RowContent({ row, openKeys, onToggle, context }: RowProps) {
  const isOpen = openKeys.has(row.key);
  const toggle = () => onToggle(row.key);
  if (row.kind === 'agent')
    return row.agents.map((agent) => (
      <AgentToggle key={agent.subagent.agent_id} agent={agent} isOpen={isOpen} onToggle={toggle} />
    ));
  return (
    <>
      <ItemView item={itemOf(row.entry)} entry={row.entry} isOpen={isOpen} onToggle={toggle} context={context} />
      {row.agents.map((agent) => {
        const key = agentKey(row.key, agent.subagent.agent_id);
        return <AgentToggle key={key} agent={agent} isOpen={openKeys.has(key)} onToggle={() => onToggle(key)} />;
      })}
    </>
  );
}

export const RowView = memo(RowContent);
