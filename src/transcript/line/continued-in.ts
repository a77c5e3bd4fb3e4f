import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';
import { addLink } from './descent.ts';

/** Fields by which a line may name the session it goes on in; seen by name only. */
const TARGETS = ['continuedIn', 'continuedInSessionId', 'targetSessionId', 'newSessionId'];

export function readContinuedInLine({ state, record }: LineContext): void {
  for (const key of TARGETS) {
    const sessionId = asText(record[key]);
    if (sessionId !== null && sessionId !== state.sessionId)
      addLink(state, { kind: 'continued', sessionId, uuid: null });
  }
}
