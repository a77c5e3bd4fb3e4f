import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer, type McpOptions } from './server.ts';

export interface ServeMcpOptions extends McpOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Answers on standard input and output until the client closes them. Nothing else may be written to the output. */
export async function serveMcp({ input, output, signal, ...options }: ServeMcpOptions): Promise<void> {
  const server = createMcpServer(options);
  const ended = Promise.race([once(input, 'end'), once(input, 'close'), once(signal, 'abort')]);
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
