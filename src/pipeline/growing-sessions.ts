import type { BlockKey, RowMarks } from '../store/queries/transcript/revision-rows.ts';
import type { DriftReport } from '../transcript/drift.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import type { Fetched } from './fetch-files.ts';

/** The state of the parser after the last byte of a session's main files, and the rows written up to then. */
export interface KeptParse {
  readonly revision: number;
  readonly parsedVersion: number;
  /** The serialized state of the parser; serialized because finishing a parse changes it. */
  readonly state: Buffer;
  /** By archive id: the files read, in parse order, and the number of bytes of each. */
  readonly files: readonly { readonly id: string; readonly generation: number; readonly bytes: number }[];
  /** Detects changes in files beside the transcripts. */
  readonly beside: string;
  readonly marks: RowMarks;
  readonly unsureBlocks: readonly BlockKey[];
  readonly drift: DriftReport;
}

/** Lets this process continue parsing a growing session where it stopped instead of starting over. */
export interface GrowingSessions {
  /** Removes and returns the state; the caller may store a new one. */
  take(sessionId: string): KeptParse | null;
  keep(sessionId: string, parse: KeptParse): void;
}

/** Larger growth is parsed from the start, because its rows would all have to be held in memory. */
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;

/** Whether a parse can continue because the session has only grown: the same files, with more bytes only in the last main file or in sub-agents. */
export function canContinue(kept: KeptParse, fetched: Fetched): boolean {
  const { transcripts } = fetched;
  const lastMain = transcripts.findLastIndex(({ kind }) => kind === 'main');
  const isSame = kept.revision === fetched.revision && kept.parsedVersion === fetched.parsedVersion;
  if (fetched.parserVersion !== PARSER_VERSION) return false;
  if (!isSame || kept.files.length !== transcripts.length || kept.beside !== besideOf(fetched)) return false;
  let growth = 0;
  for (const [index, { id, generation, archivedBytes }] of transcripts.entries()) {
    const before = kept.files[index];
    if (before?.id !== id || before.generation !== generation || before.bytes > archivedBytes) return false;
    if (index < lastMain && before.bytes !== archivedBytes) return false;
    growth += archivedBytes - (index <= lastMain ? before.bytes : 0);
  }
  return growth <= MAX_GROWTH_BYTES;
}

export function besideOf({ all, transcripts }: Fetched): string {
  const beside = all.filter((file) => !transcripts.includes(file));
  return JSON.stringify(beside.map(({ id, generation, archivedBytes }) => [id, generation, archivedBytes]));
}

/** Maximum size of all parser states together; the least recently grown session is dropped first. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;
/** More sessions than one machine usually has open at a time. */
const MAX_SESSIONS = 24;

export function rememberGrowing(maxBytes = MAX_STATE_BYTES): GrowingSessions {
  const kept = new Map<string, KeptParse>();
  let bytes = 0;
  const take = (sessionId: string): KeptParse | null => {
    const parse = kept.get(sessionId) ?? null;
    kept.delete(sessionId);
    bytes -= parse?.state.length ?? 0;
    return parse;
  };
  return {
    take,
    keep: (sessionId, parse) => {
      take(sessionId);
      kept.set(sessionId, parse);
      bytes += parse.state.length;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes && kept.size <= MAX_SESSIONS) break;
        take(oldest);
      }
    },
  };
}
