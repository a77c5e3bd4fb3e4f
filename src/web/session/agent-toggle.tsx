import { describeAgent } from '../../reading/parts.ts';
import type { Agent } from './rows.ts';

interface AgentToggleProps {
  readonly agent: Agent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function AgentToggle({ agent, isOpen, onToggle }: AgentToggleProps) {
  const { name, description, facts } = describeAgent(agent.subagent);
  return (
    <button type="button" className="agent-toggle" aria-expanded={isOpen} onClick={onToggle}>
      <span className="chevron" aria-hidden="true" />
      <bdi>{[name, description].filter((part) => part !== '').join(' · ')}</bdi> · {facts}
    </button>
  );
}
