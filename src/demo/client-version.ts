import type { JsonObject } from '../domain/transcript.ts';
import type { Scene } from './scribe.ts';

/** What a version of the client writes and what it does not, as far as these sessions need it. */
export interface ClientVersion {
  readonly name: string;
  readonly hasPromptId: boolean;
  readonly hasEntrypoint: boolean;
  readonly hasOrigin: boolean;
  readonly hasSourceUuid: boolean;
  readonly hasCaller: boolean;
  readonly hasEffort: boolean;
  readonly hasIterations: boolean;
}

const OLD: ClientVersion = {
  name: '2.0.37',
  hasPromptId: false,
  hasEntrypoint: false,
  hasOrigin: false,
  hasSourceUuid: false,
  hasCaller: false,
  hasEffort: false,
  hasIterations: false,
};

/** The last one with `progress` lines. */
const MIDDLE: ClientVersion = {
  ...OLD,
  name: '2.1.80',
  hasPromptId: true,
  hasEntrypoint: true,
  hasSourceUuid: true,
  hasCaller: true,
};

const RECENT: ClientVersion = { ...MIDDLE, name: '2.1.236', hasOrigin: true, hasEffort: true, hasIterations: true };

export const VERSIONS = {
  old: OLD,
  middle: MIDDLE,
  recent: RECENT,
  today: { ...RECENT, name: '2.1.325' },
} as const satisfies Record<string, ClientVersion>;

/** The fields that stand at the end of every line of the chain. */
export function ancestry({ version, cwd, sessionId, gitBranch }: Scene): JsonObject {
  return {
    userType: 'external',
    ...(version.hasEntrypoint ? { entrypoint: 'cli' } : {}),
    cwd,
    sessionId,
    version: version.name,
    gitBranch,
  };
}
