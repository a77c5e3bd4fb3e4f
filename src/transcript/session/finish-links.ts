import type { Origins, SessionLink } from '../../domain/transcript-structure.ts';
import type { SessionState } from '../state.ts';

export function finishOrigins({ sessionId, descent }: SessionState): Origins {
  const { leadMs, clearedAt, leftAt, processIds } = descent;
  return { leadMs, clearedAt, leftAt, processSessionId: [...processIds].find((id) => id !== sessionId) ?? null };
}

/** What the lines say, corrected by what comparing sessions has shown. */
export function finishLinks(state: SessionState): readonly SessionLink[] {
  const { links, descent, messages } = state;
  const { lineage } = descent;
  const said: readonly SessionLink[] = [...links.values()];
  if (lineage === null) return [...said, ...clearedByProcess(state)];
  const { parentId, isCertain, inheritedThrough, clearedFrom } = lineage;
  const cleared: readonly SessionLink[] =
    clearedFrom === null ? [] : [{ kind: 'cleared', sessionId: clearedFrom, uuid: null, lines: 0 }];
  const isBranch = said.some(({ kind, sessionId }) => kind === 'branched' && sessionId === parentId);
  if (parentId === null || isBranch) return [...said, ...cleared];
  const lines = messages.filter(({ isInherited }) => isInherited).reduce((sum, draft) => sum + draft.lines.length, 0);
  const kind = isCertain ? 'forked' : 'shared';
  // Lines that kept the parent's id tell the same, less exactly.
  const others = said.filter((link) => link.kind !== 'copied' || link.sessionId !== parentId);
  return [...others, { kind, sessionId: parentId, uuid: inheritedThrough, lines }, ...cleared];
}

/** Without other sessions to compare with: a process that was started with another session, and did not copy it. */
function clearedByProcess(state: SessionState): readonly SessionLink[] {
  const { processSessionId } = finishOrigins(state);
  const isBranched = [...state.links.values()].some(({ kind }) => kind === 'branched' || kind === 'copied');
  if (processSessionId === null || isBranched || state.descent.processIds.has(state.sessionId)) return [];
  return [{ kind: 'cleared', sessionId: processSessionId, uuid: null, lines: 1 }];
}
