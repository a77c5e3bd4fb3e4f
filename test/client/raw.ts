import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './lab.ts';
import { addTokens, NO_TOKENS, type Tokens } from './model.ts';

/** The contents of a transcript, read without any code of the program. */
export interface RawLine {
  readonly type: string;
  readonly timestamp?: string;
  readonly customTitle?: string;
  readonly attachment?: { readonly type: string; readonly content?: { readonly type?: string } };
  readonly toolUseResult?: unknown;
  readonly message?: {
    readonly id?: string;
    readonly content?: string | readonly RawBlock[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
}

export interface RawBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/** The lines of all transcripts of a session, those of its sub-agents too; without a session, of all of them. */
export function rawLines({ claudeHome, filesOf }: Bench, sessionId = ''): RawLine[] {
  return [...filesOf(sessionId).keys()]
    .filter((path) => path.endsWith('.jsonl') && !path.endsWith('/journal.jsonl'))
    .flatMap((path) => readFileSync(join(claudeHome, path), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawLine);
}

/** Agents that an old client has warmed up: each is a sub-agent with one answer. */
export function warmUpsIn(lines: readonly RawLine[]): number {
  return lines.filter(({ message }) => message?.content === 'Warmup').length;
}

export function rawBlocks(lines: readonly RawLine[]): RawBlock[] {
  return lines.flatMap(({ message }) => (typeof message?.content === 'object' ? message.content : []));
}

/** Every answer once, however many lines and sessions contain it. */
export function rawTokens(lines: readonly RawLine[]): Tokens {
  const answers = new Map<string, Tokens>();
  for (const { type, message } of lines) {
    const { id, usage } = message ?? {};
    if (type !== 'assistant' || id === undefined || usage === undefined) continue;
    const tokens = {
      input: Number(usage['input_tokens'] ?? 0),
      output: Number(usage['output_tokens'] ?? 0),
      cacheRead: Number(usage['cache_read_input_tokens'] ?? 0),
      cacheWrite: Number(usage['cache_creation_input_tokens'] ?? 0),
    };
    if (tokens.output >= (answers.get(id)?.output ?? 0)) answers.set(id, tokens);
  }
  return [...answers.values()].reduce(addTokens, NO_TOKENS);
}
