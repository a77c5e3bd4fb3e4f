import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectMcp, type McpAnswer } from '../support/mcp-client.ts';
import { PROGRAMS } from '../support/programs.ts';
import { type ServedProgram, serveProgram } from '../support/serve-program.ts';

/** Every tool, and every kind of question. */
const QUESTIONS: readonly (readonly [name: string, args: object])[] = [
  ['search_sessions', { query: 'test', limit: 2 }],
  ['search_sessions', { query: 'tool:Bash exit>0' }],
  ['search_sessions', { query: '(' }],
  ['list_sessions', { limit: 3 }],
  ['list_sessions', { filter: 'has:error' }],
  ['find_failures', {}],
  ['find_failures', { topic: 'npm test' }],
  ['file_history', { limit: 4 }],
  ['file_history', { path: 'ledger' }],
  ['list_commits', {}],
  ['cost', { by: 'session' }],
  ['cost', { by: 'workspace' }],
  ['read_session', { session: '4be10a77' }],
  ['read_session', { session: '4be10a77', turn: 2 }],
  ['read_session', { session: '4be10a77', around: 6, max_tokens: 300 }],
  ['read_session', { session: 'zzz' }],
];

/** A cursor contains the time of the first page. */
function textOf({ text, isError, cursor }: McpAnswer) {
  return { isError, text: cursor === null ? text : text.replace(cursor, '…') };
}

describe.each(PROGRAMS)('an MCP server that queries a fuel-code server ($name)', (program) => {
  let served: ServedProgram;
  beforeAll(async () => {
    served = await serveProgram(program);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('answers like one on the machine with the data', async () => {
    const { serverToken } = served.clientConfig();
    const env = { FUEL_CODE_HOME: served.clientHome, FUEL_CODE_SERVER_TOKEN: serverToken ?? '' };
    await using remote = await connectMcp({ env, args: ['--server', served.origin] });
    await using local = await connectMcp({ env: served.program.env, args: ['--no-import'] });
    for (const [name, args] of QUESTIONS) {
      const asked = name === 'read_session' ? args : { ...args, workspace: 'all' };
      const [there, here] = [await remote.call(name, asked), await local.call(name, asked)];
      expect([name, args, textOf(there)]).toEqual([name, args, textOf(here)]);
      expect(there.text.length).toBeGreaterThan(20);
    }
  });

  it('says in a sentence that the server is unreachable', async () => {
    const env = { FUEL_CODE_HOME: served.clientHome, FUEL_CODE_SERVER_TOKEN: 'ab'.repeat(32) };
    await using remote = await connectMcp({ env, args: ['--server', 'http://127.0.0.1:9'] });
    const { isError, text } = await remote.call('list_sessions');
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('The server at http://127.0.0.1:9 is not responding'),
    ]);
  });
});
