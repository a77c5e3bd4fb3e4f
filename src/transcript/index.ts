/** The public face of the transcript engine: `fuel-code/transcript`. */
export type * from '../domain/transcript-structure.ts';
export type * from '../domain/transcript.ts';
export type * from '../domain/usage.ts';
export { LINE_TYPES, type LineType } from './line/types.ts';
export { createParser, type ParseOptions, resumeParser, type TranscriptParser } from './parser.ts';
export { parseSession } from './parse-session.ts';
export { pathSeenByModel } from './graph/path.ts';
export { PARSER_VERSION } from './session/finish.ts';
export type { PriceUsage } from './session/finish-messages.ts';
