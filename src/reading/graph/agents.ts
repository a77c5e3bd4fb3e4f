import type { Outline } from '../../api/outline.ts';
import { firstLine } from '../format.ts';

const MAX_NAME_CHARS = 80;

/** `ada · reviewer`, or the type of an agent with its task. */
export function agentName(
  agent: Pick<Outline['agents'][number], 'agent_name' | 'agent_type' | 'description'> | undefined,
): string {
  const { agent_name = null, agent_type = null, description = null } = agent ?? {};
  const parts = [agent_name, agent_type, agent_name === null ? description : null];
  return firstLine([...new Set(parts)].filter(Boolean).join(' · ') || 'agent', MAX_NAME_CHARS);
}
