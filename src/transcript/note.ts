import type { AnomalyKind } from '../domain/transcript.ts';
import type { SessionState } from './state.ts';

export function noteAnomaly(state: SessionState, kind: AnomalyKind): void {
  state.anomalies.set(kind, (state.anomalies.get(kind) ?? 0) + 1);
}
