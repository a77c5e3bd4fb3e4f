import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { NO_REDACTION } from '../app/redaction.ts';
import { systemClock } from '../lib/timing.ts';
import { type OpenedData, serveMcp } from './server.ts';

const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'list_sessions', arguments: { workspace: 'all' } } },
  { id: 3, method: 'tools/call', params: { name: 'list_sessions', arguments: { workspace: 'all' } } },
  { method: 'notifications/cancelled', params: { requestId: 3 } },
];

test('requests that were piped in are answered before the server ends, except for cancelled ones', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const data = Promise.withResolvers<OpenedData>();
  const served = serveMcp({
    input,
    output,
    signal: new AbortController().signal,
    open: () => data.promise,
    redaction: NO_REDACTION,
    clock: systemClock,
    folder: '/',
  });
  input.end(REQUESTS.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''));
  await once(input, 'close');
  const get = (async () => ({ sessions: [], next_cursor: null })) as unknown as OpenedData['get'];
  data.resolve({ get, deviceId: null, isImporting: false, [Symbol.asyncDispose]: async () => {} });
  await served;
  const answers = String(output.read()).trim().split('\n');
  expect(answers.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
});
