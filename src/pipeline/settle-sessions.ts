import { lifeOf } from '../domain/session.ts';
import { findUnsettledSessions, readLastReport, settleSession } from '../store/queries/sessions/session-life.ts';
import type { Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import type { LiveSigns } from './understand-session.ts';

interface SettleDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly liveSigns: () => LiveSigns;
}

/** Ends sessions whose end was never reported (crash, power failure) once their files have stopped changing. */
export async function settleSessions({ engine, clock, liveSigns }: SettleDeps): Promise<void> {
  const { kysely } = engine;
  const { sessions, quietSinceMs } = liveSigns();
  for (const { id, lastWriteMs, lastLineAt } of await findUnsettledSessions(kysely)) {
    const lastWord = await readLastReport(kysely, id);
    const signs = { lastWriteMs, lastWord, isOpen: sessions.has(id), quietSinceMs: quietSinceMs(id) };
    const { endReason, endedAtMs } = lifeOf(signs);
    if (endReason === null) continue;
    await settleSession(kysely, id, { endReason, endedAtMs, lastLineAt }, clock.now().toISOString());
  }
}
