import { asText } from '../read/json.ts';
import type { ThreadDraft } from '../state.ts';
import type { LineContext } from './context.ts';
import { addLink } from './descent.ts';

/** First line of an agent that starts with its parent's whole context. */
export function readForkContextRefLine({ state, record, thread }: LineContext): void {
  const uuid = asText(record['parentLastUuid']);
  (state.threads[thread] as ThreadDraft).forkOf = uuid;
  const sessionId = asText(record['parentSessionId']);
  if (sessionId !== null && sessionId !== state.sessionId) addLink(state, { kind: 'forked_context', sessionId, uuid });
}
