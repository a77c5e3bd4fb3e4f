import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';
import { baseEnv } from './processes.ts';
import { LAUNCHER } from './run-program.ts';

export interface McpOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Options of `fuel-code mcp`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Roots that the client announces, as URIs. */
  readonly roots?: readonly string[];
}

export interface McpAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly cursor: string | null;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** The stderr output of the server. */
  stderr(): string;
  call(name: string, args?: object): Promise<McpAnswer>;
  /** The text of an answer that must not be an error. */
  ask(name: string, args?: object): Promise<string>;
  /** All pages of an answer. */
  pages(name: string, args?: object): Promise<readonly string[]>;
}

/** The official client, connected to the built program. */
export async function connectMcp({ env, args = [], cwd, roots }: McpOptions): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'mcp', ...args],
    env: { ...baseEnv(), HOME: '/nonexistent', ...env },
    stderr: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const client = new Client({ name: 'test', version: '1' }, { capabilities: roots === undefined ? {} : { roots: {} } });
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  await client.connect(transport);
  const call = async (name: string, given: object = {}): Promise<McpAnswer> => {
    const result = (await client.callTool({ name, arguments: { ...given } })) as CallToolResult;
    const [content] = result.content;
    const cursor = result._meta?.['fuel-code/next_cursor'];
    return {
      text: content?.type === 'text' ? content.text : '',
      isError: result.isError === true,
      cursor: typeof cursor === 'string' ? cursor : null,
    };
  };
  return {
    client,
    stderr: () => stderr,
    call,
    ask: async (name, given) => {
      const { text, isError } = await call(name, given);
      expect([name, isError, isError ? text : '']).toEqual([name, false, '']);
      return text;
    },
    pages: async (name, given) =>
      allPages((cursor) => call(name, { ...given, ...(cursor === null ? {} : { cursor }) })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** More pages than any answer in the tests. */
const MAX_PAGES = 2_000;

async function allPages(ask: (cursor: string | null) => Promise<McpAnswer>): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let cursor: string | null = null; pages.length < MAX_PAGES; ) {
    const answer: McpAnswer = await ask(cursor);
    expect([answer.isError, answer.isError ? answer.text : '']).toEqual([false, '']);
    pages.push(answer.text.replace(/\n\nMore: call again with cursor "[^"]*"\.$/, ''));
    if (answer.cursor === null) return pages;
    expect(answer.text).toContain(answer.cursor);
    cursor = answer.cursor;
  }
  throw new Error('The pages do not end.');
}
