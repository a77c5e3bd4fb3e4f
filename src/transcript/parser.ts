import type {
  JsonObject,
  LinePosition,
  ParsedSession,
  TranscriptSink,
  TranscriptSource,
} from '../domain/transcript.ts';
import type { Lineage } from '../domain/transcript-structure.ts';
import { createSessionState } from './create-state.ts';
import { createContext, noteTime, readDescent, readEnvelope, threadOf } from './line/context.ts';
import { readerOf, readNotedLine } from './line/table.ts';
import { endBytes, type LineReading, MAX_LINE_BYTES, pushBytes, type RawLine, readLine } from './read/lines.ts';
import { finishSession } from './session/finish.ts';
import type { PriceUsage } from './session/finish-messages.ts';
import { type FileState, noteAnomaly, type SessionState, type SourceHead } from './state.ts';

/** Maximum number of skipped lines listed by position; all are counted. */
const MAX_SKIPPED_LISTED = 1_000;

export interface ParseOptions {
  /** Computes the cost of an API message; without it all costs are null. */
  readonly price?: PriceUsage;
  /** Called with every record and the client version at that point, for a drift report. */
  readonly see?: (record: JsonObject, version: string) => void;
  /** Applied to every record before anything is read from it. */
  readonly mask?: (record: JsonObject) => JsonObject;
  readonly maxLineBytes?: number;
  /** How the session descends from others. Defaults to what its own lines state. */
  readonly lineage?: Lineage;
}

/**
 * Push in bytes, take out a session. Files are fed one after the other in the given order, each in chunks of any size.
 * `state` is plain data: it can be stored at any point and passed to `resumeParser` to continue the parse.
 */
export interface TranscriptParser {
  readonly state: SessionState;
  push(file: number, chunk: Uint8Array): void;
  /** Marks the end of a file; its last line counts even without a newline. */
  endFile(file: number): void;
  finish(): ParsedSession;
}

export function createParser(
  sessionId: string,
  sources: readonly SourceHead[],
  sink: TranscriptSink,
  options: ParseOptions = {},
): TranscriptParser {
  return resumeParser(createSessionState(sessionId, sources, options.lineage ?? null), sink, options);
}

export function resumeParser(state: SessionState, sink: TranscriptSink, options: ParseOptions = {}): TranscriptParser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
  const parse: Parse = { state, sink, see: options.see, mask: options.mask };
  const visitors = state.files.map((file) => (line: RawLine) => {
    parseLine(parse, file, line);
  });
  return {
    state,
    push(index, chunk) {
      const { file, visit } = fileAt(index);
      pushBytes(file.splitter, chunk, visit, maxLineBytes);
    },
    endFile(index) {
      const { file, visit } = fileAt(index);
      endBytes(file.splitter, visit);
    },
    finish: () => finishSession(state, sink, options.price ?? null),
  };

  function fileAt(index: number): { file: FileState; visit: (line: RawLine) => void } {
    const file = state.files[index];
    const visit = visitors[index];
    if (file === undefined || visit === undefined) throw new RangeError(`the parse has no file number ${index}`);
    return { file, visit };
  }
}

interface Parse {
  readonly state: SessionState;
  readonly sink: TranscriptSink;
  readonly see: ParseOptions['see'];
  readonly mask: ParseOptions['mask'];
}

function parseLine(parse: Parse, file: FileState, line: RawLine): void {
  const reading = readLine(line);
  accountFor(parse.state, file, line, reading);
  for (const found of reading.records) {
    const position = { file: file.index, line: line.number, offset: found.offset, length: found.length };
    parseRecord(parse, file, parse.mask?.(found.record) ?? found.record, position);
  }
}

/** Assigns each line to exactly one class; `total` is their sum. */
function accountFor(state: SessionState, { account, index }: FileState, line: RawLine, reading: LineReading): void {
  account.total += 1;
  if (reading.class === 'record') account.records += 1;
  else if (reading.class === 'salvaged') account.salvaged += 1;
  else account.skipped += 1;
  for (const kind of reading.anomalies) noteAnomaly(state, kind);
  const reason = reading.anomalies[0];
  if (reading.class !== 'skipped' || reason === undefined || state.skipped.length >= MAX_SKIPPED_LISTED) return;
  const { number, offset, length } = line;
  state.skipped.push({ position: { file: index, line: number, offset, length }, reason });
}

function parseRecord(parse: Parse, file: FileState, record: JsonObject, position: LinePosition): void {
  const { state, sink } = parse;
  const read = readerOf(record['type']);
  readEnvelope(state, file, record);
  parse.see?.(record, state.envelope.version);
  if (read === null) noteAnomaly(state, 'unknown_type');
  const descent = readDescent(state, file, record);
  const thread = threadOf(state, file, record);
  const context = createContext({ state, sink, file, record, position, thread, ...descent });
  if (!context.isInherited) noteTime(state, file, context.timestamp);
  (read ?? readNotedLine)(context);
  state.recordCount += 1;
}

/**
 * Parses all files of one session, main files first, then sub-agents. Blocks go to the sink as soon as they are known.
 */
export async function parseSession(
  sessionId: string,
  sources: readonly TranscriptSource[],
  sink: TranscriptSink,
  options: ParseOptions = {},
): Promise<ParsedSession> {
  const parser = createParser(sessionId, sources, sink, options);
  const numbered = sources.map((source, index) => ({ source, index }));
  const mainFirst = [
    ...numbered.filter(({ source }) => source.role === 'main'),
    ...numbered.filter(({ source }) => source.role !== 'main'),
  ];
  for (const { source, index } of mainFirst) {
    for await (const chunk of source.bytes) parser.push(index, chunk);
    parser.endFile(index);
  }
  return parser.finish();
}
