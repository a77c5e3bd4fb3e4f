import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Transcripts for benchmarks: from the shared generator if it is available, else our own. */

const SHARED_GENERATOR = fileURLToPath(new URL('../../shared/tools/make-corpus.mjs', import.meta.url));
const MEBIBYTE = 1024 * 1024;
const SIZES_MB = { XS: 5, S: 50, M: 500 } as const;

export type CorpusSize = keyof typeof SIZES_MB;

export interface Corpus {
  /** The projects folder. */
  readonly projects: string;
  readonly claudeHome: string;
  readonly madeBy: string;
  readonly truth: TokenTruth;
  remove(): void;
}

/** Totals of the files, each API message counted once. */
export interface TokenTruth {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreate5m: number;
  readonly cacheCreate1h: number;
  readonly cacheRead: number;
}

/** Creates a corpus in a temporary folder; `remove` deletes it. */
export async function makeCorpus(size: CorpusSize, era: 'classic' | 'modern' | 'mixed' = 'classic'): Promise<Corpus> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-corpus-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const claudeHome = join(folder, '.claude');
  const projects = join(claudeHome, 'projects');
  if (!existsSync(SHARED_GENERATOR)) {
    const truth = writeOwnCorpus(projects, SIZES_MB[size] * MEBIBYTE);
    return { projects, claudeHome, madeBy: 'bench/corpus.ts', truth, remove };
  }
  const options = ['--out', folder, '--size', size, '--era', era];
  execFileSync(process.execPath, [SHARED_GENERATOR, ...options], { stdio: 'ignore' });
  const file = join(folder, 'ground-truth.json');
  const { default: facts } = (await import(file, { with: { type: 'json' } })) as {
    default: { tokensTotal: TokenTruth };
  };
  return { projects, claudeHome, madeBy: `make-corpus ${size} ${era}`, truth: facts.tokensTotal, remove };
}

interface Random {
  (): number;
}

/** A small seeded random number generator for [0, 1): mulberry32. */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MODELS = ['claude-opus-4-6', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001', 'claude-opus-5-5'];
const WORDS =
  'const return await session "usage" → parser {"id":null} \\n output_tokens 解析 error: ✅ path/to/file.ts'.split(' ');

/**
 * Our own corpus of about `targetBytes`: sessions with prompts, streamed answers of several lines, tool results of many
 * sizes, sub-agents in their own files and repeated in progress lines, resumed sessions that copy lines, side questions
 * that replay them, API errors, and keys in varying order.
 */
export function writeOwnCorpus(projects: string, targetBytes: number, seed = 1): TokenTruth {
  const writer = new CorpusWriter(randomOf(seed));
  let written = 0;
  let before: string[] = [];
  for (let index = 0; written < targetBytes; index += 1) {
    const files = writer.session(index, index % 7 === 6 ? before : []);
    for (const [name, lines] of files) {
      const path = join(projects, `-home-dev-project-${index % 9}`, name);
      const text = `${lines.join('\n')}\n`;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      written += Buffer.byteLength(text);
    }
    before = files.values().next().value ?? [];
  }
  return writer.truth;
}

/** The lines of one session, one turn at a time, up to about `targetBytes`. */
export function* largeTranscript(targetBytes: number, seed: number): Generator<string> {
  const writer = new CorpusWriter(randomOf(seed), seed);
  for (let written = 0; written < targetBytes; ) {
    const text = `${(writer.session(0, []).values().next().value ?? []).join('\n')}\n`;
    written += Buffer.byteLength(text);
    yield text;
  }
}

class CorpusWriter {
  readonly truth = { messages: 0, input: 0, output: 0, cacheCreate5m: 0, cacheCreate1h: 0, cacheRead: 0 };
  readonly #random: Random;
  #timeMs = Date.UTC(2026, 7, 1);
  #ids = 0;

  constructor(random: Random, series = 1) {
    this.#random = random;
    this.#ids = series * 1e12;
  }

  /** The files of a session by name, the main one first. */
  session(index: number, inherited: readonly string[]): Map<string, string[]> {
    const sessionId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const main: string[] = [];
    const files = new Map([[`${sessionId}.jsonl`, main]]);
    const copied = inherited.slice(0, Math.floor(inherited.length / 2));
    main.push(...copied.map((line) => line.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${sessionId}"`)));
    for (let turn = this.#below(12) + 1; turn > 0; turn -= 1) {
      main.push(this.#line(sessionId, 'user', { message: { role: 'user', content: this.#text(300) } }));
      for (let step = this.#below(9); step >= 0; step -= 1) this.#step(main, files, sessionId);
    }
    if (this.#random() < 0.1)
      files.set(`${sessionId}/subagents/agent-aside_question-${index}.jsonl`, this.#aside(main));
    return files;
  }

  #step(main: string[], files: Map<string, string[]>, sessionId: string): void {
    main.push(...this.#answer(sessionId, null));
    if (this.#random() < 0.04) this.#subagent(main, files, sessionId);
    if (this.#random() < 0.02) main.push(this.#apiError(sessionId));
    const text = this.#text(this.#random() < 0.02 ? 200_000 : 6_000);
    const content = [{ type: 'tool_result', tool_use_id: this.#id('toolu'), content: text }];
    main.push(this.#line(sessionId, 'user', { message: { role: 'user', content }, toolUseResult: { stdout: text } }));
  }

  /** The lines of one API message: one per block, with an output count that grows to its final value. */
  #answer(sessionId: string, agentId: string | null): string[] {
    const usage = {
      input_tokens: this.#below(20),
      cache_creation_input_tokens: this.#below(5_000),
      cache_read_input_tokens: this.#below(150_000),
      output_tokens: this.#below(4_000) + 3,
    };
    const hour = usage.cache_creation_input_tokens % 2 === 0 ? usage.cache_creation_input_tokens : 0;
    const tiers = {
      ephemeral_5m_input_tokens: usage.cache_creation_input_tokens - hour,
      ephemeral_1h_input_tokens: hour,
    };
    this.truth.messages += 1;
    this.truth.input += usage.input_tokens;
    this.truth.output += usage.output_tokens;
    this.truth.cacheRead += usage.cache_read_input_tokens;
    this.truth.cacheCreate5m += tiers.ephemeral_5m_input_tokens;
    this.truth.cacheCreate1h += hour;
    const id = this.#id('msg');
    const requestId = this.#id('req');
    const model = MODELS[this.#below(MODELS.length)];
    const blocks = Array.from({ length: this.#below(3) + 1 }, () => this.#block());
    return blocks.map((block, index) => {
      const output = index === blocks.length - 1 ? usage.output_tokens : Math.min(usage.output_tokens, 2);
      const head = { model, id, type: 'message', role: 'assistant' };
      const tail = { usage: { ...usage, output_tokens: output, cache_creation: tiers, service_tier: 'standard' } };
      const message =
        this.#random() < 0.2 ? { ...tail, content: [block], ...head } : { ...head, content: [block], ...tail };
      return this.#line(sessionId, 'assistant', { message, requestId }, agentId);
    });
  }

  #block(): object {
    if (this.#random() < 0.5) return { type: 'text', text: this.#text(900) };
    const input = {
      command: this.#text(200),
      usage: { input_tokens: 7, output_tokens: 7 },
      id: null,
      type: 'progress',
    };
    return { type: 'tool_use', id: this.#id('toolu'), name: 'Bash', input };
  }

  #subagent(main: string[], files: Map<string, string[]>, sessionId: string): void {
    const agentId = this.#id('a').slice(-8);
    const own = Array.from({ length: this.#below(4) + 1 }, () => this.#answer(sessionId, agentId)).flat();
    files.set(`${sessionId}/subagents/agent-${agentId}.jsonl`, own);
    for (const line of own) {
      if (this.#random() < 0.5) continue;
      const { type, message, requestId, uuid, timestamp } = JSON.parse(line) as Record<string, unknown>;
      const data = { type: 'agent_progress', message: { type, message, requestId, uuid, timestamp }, agentId };
      main.push(this.#line(sessionId, 'progress', { data }));
    }
  }

  #aside(main: readonly string[]): string[] {
    const answers = main.filter((line) => line.includes('"type":"assistant"') && !line.includes('"progress","data"'));
    const requestId = this.#id('req');
    return answers
      .slice(-4)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((record) => record['isApiErrorMessage'] !== true)
      .map((record) => JSON.stringify({ ...record, isSidechain: true, requestId }));
  }

  #apiError(sessionId: string): string {
    const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { model: '<synthetic>', id: this.#id('err'), role: 'assistant', content: [], usage };
    return this.#line(sessionId, 'assistant', { message, isApiErrorMessage: true });
  }

  #line(sessionId: string, type: string, body: object, agentId: string | null = null): string {
    this.#timeMs += 1 + this.#below(4_000);
    const head = {
      parentUuid: this.#id('u'),
      isSidechain: agentId !== null,
      sessionId,
      cwd: '/home/dev',
      version: '2.1.74',
    };
    const stamp = { uuid: this.#id('u'), timestamp: new Date(this.#timeMs).toISOString() };
    return JSON.stringify(
      this.#random() < 0.3 ? { ...body, ...head, ...stamp, type } : { ...head, type, ...body, ...stamp },
    );
  }

  #text(length: number): string {
    const wanted = length * (0.2 + this.#random());
    let text = '';
    while (text.length < wanted) text += `${WORDS[this.#below(WORDS.length)] ?? ''} `;
    return text;
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.#ids.toString(36).padStart(22, '0')}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
