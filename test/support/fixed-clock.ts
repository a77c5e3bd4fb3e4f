import type { Clock } from '../../src/domain/ports.ts';
import { createLog } from '../../src/lib/log.ts';

export const NOW = new Date('2026-11-15T12:00:00.000Z');
export const fixedClock: Clock = { now: () => NOW, monotonicMs: () => performance.now() };
export const silentLog = createLog({ level: 'error', clock: fixedClock, write: () => {} });
