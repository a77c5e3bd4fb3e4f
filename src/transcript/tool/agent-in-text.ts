/** `agentId: a2018e5 (for resuming …)`, and for teammates `agent_id: worker@team`. */
const AGENT_ID = /\bagent(?:Id|_id): ?([A-Za-z0-9_@.-]{1,128})/;
/** The mention stands at the very end, or at the beginning of a short text. */
const SEARCHED_CHARS = 2048;

export function agentIdIn(text: string): string | null {
  const tail = AGENT_ID.exec(text.slice(-SEARCHED_CHARS));
  return tail?.[1] ?? AGENT_ID.exec(text.slice(0, SEARCHED_CHARS))?.[1] ?? null;
}
