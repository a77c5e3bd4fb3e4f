import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the simulated API received it. */
export interface AskedQuestion {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly system: string;
    readonly max_tokens: number;
    readonly temperature?: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly tools?: unknown;
  };
  /** The raw request body. */
  readonly text: string;
}

/** How the simulated API answers one request. */
export type Behaviour = (response: ServerResponse, question: AskedQuestion) => void;

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly questions: readonly AskedQuestion[];
  /** Sets the responses to the next requests; the last one is repeated. */
  answer(...behaviours: readonly Behaviour[]): void;
  /** Resolves when the server has received this many requests. */
  received(count: number): Promise<void>;
}

/** A simulated Anthropic API that can fail in every way a service may fail. */
export async function startModelServer(): Promise<ModelServer> {
  const questions: AskedQuestion[] = [];
  let behaviours: readonly Behaviour[] = [say('Fixed the basket.')];
  let waiting: { readonly count: number; readonly done: () => void }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const question = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text || '{}') };
      questions.push(question);
      waiting = waiting.filter(({ count, done }) => {
        if (questions.length < count) return true;
        done();
        return false;
      });
      const [next, ...rest] = behaviours;
      if (rest.length > 0) behaviours = rest;
      next?.(response, question);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    questions,
    answer: (...next) => {
      behaviours = next;
    },
    received: (count) =>
      questions.length >= count ? Promise.resolve() : new Promise((done) => waiting.push({ count, done })),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function message(content: readonly object[], extra: object = {}): string {
  return JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-5-5',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1_000, output_tokens: 50 },
    ...extra,
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function say(text: string, extra: object = {}): Behaviour {
  return blocks([{ type: 'text', text }], extra);
}

export function blocks(content: readonly object[], extra: object = {}): Behaviour {
  return (response) => void response.writeHead(200, JSON_TYPE).end(message(content, extra));
}

/** Obeys a hostile transcript: the request determines the answer. */
export function obey(decide: (question: AskedQuestion) => string): Behaviour {
  return (response, question) => say(decide(question))(response, question);
}

export function raw(body: string, contentType = 'application/json', status = 200): Behaviour {
  return (response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

export function fail(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  const body = JSON.stringify({ type: 'error', error: { type: 'api_error', message: `scripted ${status}` } });
  return (response) => void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body);
}

export const hang: Behaviour = () => {};

export const reset: Behaviour = (response) => void response.socket?.destroy();

/** Sends a byte from time to time: the connection stays open, but the response never ends. */
export const drip: Behaviour = (response) => {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};
