import { lifeOf } from '../domain/session.ts';
import { findUnsettledSessions, readLastWord, settleSession } from '../store/queries/sessions/session-life.ts';
import type { LineDeps } from './work-on.ts';

/** Nobody may ever say that a session has ended: a crash, a power cut. Its files fall silent all the same. */
export async function settleSessions({ engine, clock, liveSigns }: LineDeps): Promise<void> {
  const { kysely } = engine;
  const { sessions, quietSinceMs } = liveSigns();
  for (const { id, lastWriteMs, lastLineAt } of await findUnsettledSessions(kysely)) {
    const lastWord = await readLastWord(kysely, id);
    const signs = { lastWriteMs, lastWord, isOpen: sessions.has(id), quietSinceMs: quietSinceMs(id) };
    const { endReason, endedAtMs } = lifeOf(signs);
    if (endReason === null) continue;
    await settleSession(kysely, id, { endReason, endedAtMs, lastLineAt }, clock.now().toISOString());
  }
}
