import { readFileSync } from 'node:fs';
import type { ContentBlock, JsonValue, ParsedSession } from '../../domain/transcript.ts';
import { createParser, type ParseOptions, type TranscriptParser } from '../parser.ts';
import type { SourceHead } from '../state.ts';

/** Test helpers: bytes in, session and blocks out. */

export const SESSION = '00000000-0000-4000-8000-000000000001';

export interface Parsed {
  readonly session: ParsedSession;
  readonly blocks: readonly ContentBlock[];
}

export interface TestFile {
  readonly bytes: Uint8Array;
  readonly role?: 'main' | 'agent';
  readonly agentId?: string;
  /** Path of the file. */
  readonly name?: string;
  readonly meta?: JsonValue;
}

export interface TestOptions extends ParseOptions {
  readonly sessionId?: string;
  /** Bytes per push; the whole file at once by default. */
  readonly chunkBytes?: number;
}

export function headOf(file: TestFile, index: number): SourceHead {
  const role = file.role ?? (file.agentId === undefined ? 'main' : 'agent');
  const head = { role, agentId: file.agentId ?? null, name: file.name ?? `file-${index}.jsonl` } as const;
  return file.meta === undefined ? head : { ...head, meta: file.meta };
}

export function parseFiles(files: readonly TestFile[], options: TestOptions = {}): Parsed {
  const blocks: ContentBlock[] = [];
  const sink = { block: (block: ContentBlock) => void blocks.push(block) };
  const parser = createParser(options.sessionId ?? SESSION, files.map(headOf), sink, options);
  for (const [index, file] of files.entries()) feed(parser, index, file.bytes, options.chunkBytes);
  return { session: parser.finish(), blocks };
}

export function parseBytes(bytes: Uint8Array, options: TestOptions = {}): Parsed {
  return parseFiles([{ bytes }], options);
}

/** Lines as text or as objects; each ends with a newline. */
export function parseLines(lines: readonly (string | object)[], options: TestOptions = {}): Parsed {
  return parseBytes(linesOf(lines), options);
}

export function linesOf(lines: readonly (string | object)[]): Buffer {
  return Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
}

export function feed(parser: TranscriptParser, index: number, bytes: Uint8Array, chunkBytes?: number): void {
  const step = chunkBytes ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += step) parser.push(index, bytes.subarray(at, at + step));
  parser.endFile(index);
}

/** A handwritten fixture by name. */
export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
}

let counter = 0;

/** A new uuid; numbers increase, so that failures are reproducible within a test file. */
export function uuid(number = (counter += 1)): string {
  return `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;
}

const BASE_MS = Date.UTC(2026, 0, 1);

export function timeAt(second: number): string {
  return new Date(BASE_MS + second * 1000).toISOString();
}

interface LineFields {
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly at?: number;
  readonly [key: string]: unknown;
}

export function envelope(type: string, { at = 0, ...fields }: LineFields = {}): object {
  return {
    type,
    uuid: uuid(),
    parentUuid: null,
    isSidechain: false,
    sessionId: SESSION,
    version: '2.1.120',
    timestamp: timeAt(at),
    ...fields,
  };
}

export function userLine(content: unknown, fields: LineFields = {}): object {
  return envelope('user', { message: { role: 'user', content }, ...fields });
}

export interface AssistantFields extends LineFields {
  readonly id?: string;
  readonly model?: string;
  readonly output?: number;
  readonly usage?: unknown;
}

export function assistantLine(content: unknown, fields: AssistantFields = {}): object {
  const { id = 'msg_1', model = 'claude-opus-4-6', output = 5, usage, ...rest } = fields;
  const counts = {
    input_tokens: 3,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 100,
    output_tokens: output,
  };
  const message = {
    id,
    model,
    role: 'assistant',
    type: 'message',
    content,
    usage: usage === undefined ? counts : usage,
  };
  return envelope('assistant', { message, requestId: 'req_1', ...rest });
}

export function text(value: string): object[] {
  return [{ type: 'text', text: value }];
}

export function toolUse(id: string, name: string, input: object = {}): object[] {
  return [{ type: 'tool_use', id, name, input }];
}

export function toolResult(id: string, content: unknown, fields: object = {}): object[] {
  return [{ type: 'tool_result', tool_use_id: id, content, ...fields }];
}
