import type { RowMarks } from '../store/queries/transcript/extend-revision.ts';
import type { BlockKey } from '../store/queries/transcript/revision-rows.ts';
import type { DriftReport } from '../transcript/drift.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import type { Fetched } from './parse-files.ts';

/** Where the reader was after the last byte of a session's main files, and what it had written until then. */
export interface KeptParse {
  readonly revision: number;
  readonly parsedVersion: number;
  /** The reader's state, serialised: finishing a parse changes it. */
  readonly state: Buffer;
  /** By archive id: the files it has seen, in parse order, and how much of each. */
  readonly files: readonly { readonly id: string; readonly generation: number; readonly bytes: number }[];
  /** Tells whether anything beside the transcripts has changed. */
  readonly beside: string;
  readonly marks: RowMarks;
  readonly unsureBlocks: readonly BlockKey[];
  readonly drift: DriftReport;
}

/** Sessions that grow are not parsed from their beginning again while this process remembers where it was. */
export interface GrowingSessions {
  /** Given once: whoever takes it puts the next one in its place, or nothing. */
  take(sessionId: string): KeptParse | null;
  keep(sessionId: string, parse: KeptParse): void;
}

/** More than this is read from the start: its rows should not all wait in memory. */
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;

/** Whether the session has only grown since: the same files, and bytes at the end of the last main one or in sub-agents. */
export function fits(kept: KeptParse, fetched: Fetched): boolean {
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

/** Reader states are this large at most, all together; the one that grew longest ago goes first. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;
/** Sessions that one machine has open at a time, and some more. */
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
