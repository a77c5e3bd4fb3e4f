import type { ParsedSession, TranscriptSink, TranscriptSource } from '../domain/transcript.ts';
import { createParser, type ParseOptions } from './parser.ts';

/** Reads all files of one session: main files first, then sub-agents. Blocks go to the sink as soon as they are known. */
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
