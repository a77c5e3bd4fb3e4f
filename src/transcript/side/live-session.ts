import type { JsonObject } from '../../domain/transcript.ts';
import { pickNumber, pickText, pickTimeMs } from './pick.ts';
import { isObject, readSideJson, type SideInput, type SideResult } from './side-file.ts';

/** `sessions/<pid>.json`: a running client. Removed at exit, left behind by a crash. */
export interface LiveSession {
  readonly sessionId: string;
  readonly pid: number | null;
  readonly cwd: string | null;
  readonly startedAtMs: number | null;
  readonly updatedAtMs: number | null;
  readonly version: string | null;
  readonly kind: string | null;
  readonly entrypoint: string | null;
  readonly name: string | null;
  readonly status: string | null;
  readonly raw: JsonObject;
}

export function readLiveSession(input: SideInput): SideResult<LiveSession | null> {
  return readSideJson<LiveSession | null>(input, null, (value, count) => {
    const sessionId = isObject(value) ? pickText(value, 'sessionId') : null;
    if (sessionId !== null && isObject(value)) return liveSessionOf(sessionId, value);
    count('wrong_shape');
    return null;
  });
}

function liveSessionOf(sessionId: string, value: JsonObject): LiveSession {
  return {
    sessionId,
    pid: pickNumber(value, 'pid'),
    cwd: pickText(value, 'cwd'),
    startedAtMs: pickTimeMs(value, 'startedAt'),
    updatedAtMs: pickTimeMs(value, 'updatedAt'),
    version: pickText(value, 'version'),
    kind: pickText(value, 'kind'),
    entrypoint: pickText(value, 'entrypoint'),
    name: pickText(value, 'name'),
    status: pickText(value, 'status'),
    raw: value,
  };
}
