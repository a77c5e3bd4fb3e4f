import { str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const AgentNameLineSchema = stateLine('agent-name', 'Name of the session among agents.', {
  agentName: str,
});
