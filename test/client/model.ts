import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A simulated Messages API for the real client. It keeps no conversation: the next answer depends on the request alone, so
 * resumes, forks, retries and concurrent sub-agents need no special handling.
 */
export interface Model extends AsyncDisposable {
  readonly url: string;
  /** Every request for an answer, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Usage of answers in conversations. Requests that the client makes for itself are in no transcript. */
  billed(): Tokens;
  /** Resolves when an answer that never ends has started. */
  readonly held: Promise<void>;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelRequest {
  readonly model: string;
  /** Texts sent to the model, newest first, with the number of answers since: prompts, tasks, texts of skills. */
  readonly prompts: readonly { readonly text: string; readonly answers: number }[];
  /** All texts of all messages, for tests that check what the model received. */
  readonly said: readonly string[];
  readonly toolResults: readonly string[];
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object };

/** One answer: blocks, an HTTP error, or blocks of which only the first half is ever sent. */
export type Answer =
  | readonly Block[]
  | { readonly status: number; readonly error: string; readonly times?: number; readonly after: readonly Block[] }
  | { readonly holdsAfterHalfOf: string };

type Step = Answer | ((request: ModelRequest) => Answer);
/**
 * Answers by a part of the prompt. The newest prompt known to the script counts, since the client inserts texts of its own;
 * the number of answers since then selects the next one.
 */
export type Script = readonly (readonly [part: string, steps: readonly Step[]])[];

export const text = (words: string): Block => ({ type: 'text', text: words });
export const thinking = (words: string): Block => ({ type: 'thinking', thinking: words, signature: 'c2lnbmVk' });
export const tool = (name: string, input: object): Block => ({ type: 'tool_use', name, input });

/** A text-only answer. */
export const say = (words: string): readonly Block[] => [text(words)];

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Four unique numbers, too small to ever fill a context. */
function priceOf(answer: number): Tokens {
  return { input: 3 + answer, output: 11 * answer, cacheRead: 1_000 * answer, cacheWrite: 1 + 100 * answer };
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export async function startModel(script: Script): Promise<Model> {
  const requests: ModelRequest[] = [];
  const hold = Promise.withResolvers<void>();
  const refusals = new Map<string, number>();
  let answers = 0;
  let billed = NO_TOKENS;

  async function answer(body: Body, response: ServerResponse): Promise<void> {
    const request = readRequest(body);
    requests.push(request);
    const found = findStep(script, request);
    const step =
      found === null ? [text('Very well.')] : typeof found.step === 'function' ? found.step(request) : found.step;
    const tokens = priceOf(++answers);
    if ('status' in step) {
      const key = found?.key ?? '';
      const before = refusals.get(key) ?? 0;
      refusals.set(key, before + 1);
      if (before < (step.times ?? 1)) return refuse(response, step.status, step.error);
    }
    const message = emptyMessage(body.model, tokens);
    if ('holdsAfterHalfOf' in step) {
      beginStream(response, message);
      sendHalf(response, step.holdsAfterHalfOf);
      return hold.resolve();
    }
    const blocks = withToolNames('after' in step ? step.after : step, body);
    if (body.stream === true) {
      beginStream(response, message);
      blocks.forEach((block, index) => sendBlock(response, index, block));
      endStream(response, blocks, tokens);
    } else sendWhole(response, message, blocks, tokens);
    if (isInConversation(body, request)) billed = addTokens(billed, tokens);
  }

  const server = createServer((incoming, response) => {
    void handle(incoming, response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    billed: () => billed,
    held: hold.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[];
}

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  /** Side requests, such as the client's for a title, have none. */
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly Message[];
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: (body: Body, response: ServerResponse) => Promise<void>,
): Promise<void> {
  const path = (incoming.url ?? '').split('?')[0];
  const pieces = await Array.fromAsync<Buffer>(incoming).catch(() => null);
  // The client was killed during the answer.
  if (pieces === null) return;
  if (incoming.method === 'POST' && path === '/v1/messages') {
    return answer(JSON.parse(Buffer.concat(pieces).toString()) as Body, response);
  }
  if (incoming.method === 'POST' && path === '/v1/messages/count_tokens') {
    return sendJson(response, 200, { input_tokens: Buffer.concat(pieces).length >> 2 });
  }
  if (incoming.method === 'HEAD') return sendJson(response, 200, null);
  refuse(response, 404, 'There is nothing here.');
}

function readRequest({ model, messages }: Body): ModelRequest {
  const prompts = messages.flatMap((message, at) => {
    const words = promptOf(message);
    const answers = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
    return words === '' ? [] : [{ text: words, answers }];
  });
  return {
    model,
    prompts: prompts.reverse(),
    said: messages.flatMap(textsOf),
    toolResults: messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.filter(({ type }) => type === 'tool_result').map((block) => JSON.stringify(block.content)),
    ),
  };
}

function textsOf({ content }: Message): string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
}

function promptOf(message: Message): string {
  if (message.role !== 'user') return '';
  return textsOf(message)
    .filter((words) => !words.trimStart().startsWith('<system-reminder>'))
    .join('\n')
    .trim();
}

/** The client's request for the summary of a compaction. */
const SUMMARY_WANTED = /^CRITICAL: Respond with TEXT ONLY|detailed summary of the conversation/;

function wantsSummary({ prompts }: ModelRequest): boolean {
  return SUMMARY_WANTED.test(prompts[0]?.text ?? '');
}

/** Clients up to 2.1.2 warm up two agents when they start, without tools, and write a transcript of each. */
function isWarmUp({ prompts }: ModelRequest): boolean {
  return prompts.length === 1 && prompts[0]?.text === 'Warmup';
}

/** A request for a title repeats the prompt and offers no tools; its answer is in no transcript. */
function isInConversation({ tools = [] }: Body, request: ModelRequest): boolean {
  return isWarmUp(request) || (tools.length > 0 && !wantsSummary(request));
}

/** The tool Agent was called Task before. */
function withToolNames(blocks: readonly Block[], { tools = [] }: Body): readonly Block[] {
  if (!tools.some(({ name }) => name === 'Task')) return blocks;
  return blocks.map((block) =>
    block.type === 'tool_use' && block.name === 'Agent' ? { ...block, name: 'Task' } : block,
  );
}

function findStep(script: Script, request: ModelRequest): { key: string; step: Step } | null {
  if (wantsSummary(request)) return null;
  for (const { text, answers } of request.prompts) {
    const steps = script.find(([part]) => text.includes(part))?.[1];
    const step = steps?.[answers];
    if (step !== undefined) return { key: `${answers} ${text}`, step };
    if (steps !== undefined) return null;
  }
  return null;
}

function emptyMessage(model: string, tokens: Tokens) {
  return {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [] as readonly Block[],
    stop_reason: null as string | null,
    stop_sequence: null,
    // The usage known before the first token: some clients record it as if it were final.
    usage: usage(tokens, 1),
  };
}

function usage({ input, cacheRead, cacheWrite }: Tokens, output: number) {
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: 'standard',
  };
}

function stopReason(blocks: readonly Block[]): string {
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function sendEvent(response: ServerResponse, type: string, data: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

function beginStream(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': nextId('req') });
  sendEvent(response, 'message_start', { message });
  sendEvent(response, 'ping', {});
}

/** The start event of a block, and the deltas after it. */
function pieces(block: Block): { start: object; deltas: object[] } {
  if (block.type === 'text') {
    return { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: block.text }] };
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = block;
    const deltas = [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature },
    ];
    return { start: { type: 'thinking', thinking: '', signature: '' }, deltas };
  }
  const start = { ...block, id: nextId('toolu'), input: {} };
  return { start, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }] };
}

function sendBlock(response: ServerResponse, index: number, block: Block): void {
  const { start, deltas } = pieces(block);
  sendEvent(response, 'content_block_start', { index, content_block: start });
  for (const delta of deltas) sendEvent(response, 'content_block_delta', { index, delta });
  sendEvent(response, 'content_block_stop', { index });
}

function sendHalf(response: ServerResponse, words: string): void {
  sendEvent(response, 'content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  const half = words.slice(0, words.length / 2);
  sendEvent(response, 'content_block_delta', { index: 0, delta: { type: 'text_delta', text: half } });
}

function endStream(response: ServerResponse, blocks: readonly Block[], tokens: Tokens): void {
  const delta = { stop_reason: stopReason(blocks), stop_sequence: null };
  sendEvent(response, 'message_delta', { delta, usage: usage(tokens, tokens.output) });
  sendEvent(response, 'message_stop', {});
  response.end();
}

function sendWhole(response: ServerResponse, message: object, blocks: readonly Block[], tokens: Tokens): void {
  const content = blocks.map((block) => (block.type === 'tool_use' ? { ...block, id: nextId('toolu') } : block));
  const rest = { content, stop_reason: stopReason(blocks), usage: usage(tokens, tokens.output) };
  sendJson(response, 200, { ...message, ...rest });
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } });
}

function sendJson(response: ServerResponse, status: number, value: object | null): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': nextId('req') });
  response.end(value === null ? undefined : JSON.stringify(value));
}

/** Ids in the real format, unique across processes. */
function nextId(prefix: string): string {
  return `${prefix}_01${randomBytes(11).toString('hex')}`;
}
