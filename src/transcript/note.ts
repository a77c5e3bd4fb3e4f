import type { UnknownShape } from '../domain/transcript-structure.ts';
import type { AnomalyKind, LinePosition } from '../domain/transcript.ts';
import type { SessionState } from './state.ts';

export function noteAnomaly(state: SessionState, kind: AnomalyKind): void {
  state.anomalies.set(kind, (state.anomalies.get(kind) ?? 0) + 1);
}

/** Kinds of unknown things that are told apart; a hostile file cannot make the list endless. */
const MAX_UNKNOWN_SHAPES = 1_000;

/** Counts something that this parser does not know, under the client version that wrote it. */
export function noteUnknown(
  state: SessionState,
  what: UnknownShape['what'],
  name: string,
  position: LinePosition,
): void {
  const { version } = state.envelope;
  const key = `${what}\n${version}\n${name}`;
  const known = state.unknown.get(key);
  if (known !== undefined) known.count += 1;
  else if (state.unknown.size < MAX_UNKNOWN_SHAPES) {
    state.unknown.set(key, { what, name, version, count: 1, sample: position });
  }
}
