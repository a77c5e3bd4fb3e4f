import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** Names of the session; each is written again and again, the last one wins. */
export function readCustomTitleLine({ state, record }: LineContext): void {
  state.facts.customTitle = asText(record['customTitle']) ?? state.facts.customTitle;
}

export function readAiTitleLine({ state, record }: LineContext): void {
  state.facts.aiTitle = asText(record['aiTitle']) ?? state.facts.aiTitle;
}

export function readAgentNameLine({ state, record }: LineContext): void {
  state.facts.agentName = asText(record['agentName']) ?? state.facts.agentName;
}
