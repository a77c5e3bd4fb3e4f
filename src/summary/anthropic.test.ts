import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  blocks,
  drip,
  fail,
  hang,
  type ModelServer,
  raw,
  reset,
  say,
  startModelServer,
} from '../../test/support/model-server.ts';
import { type AnthropicOptions, createAnthropicSummarizer } from './anthropic.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const QUESTION = { system: 'Be brief.', text: 'What was done?' };
let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server[Symbol.asyncDispose]());

function summarizer(parts: Partial<AnthropicOptions> = {}) {
  return createAnthropicSummarizer({
    apiKey: 'test-key',
    baseUrl: server.url,
    model: 'claude-haiku-5-5',
    temperature: null,
    maxOutputTokens: 300,
    now: () => NOW_MS,
    ...parts,
  });
}

describe('summaries by the Anthropic API', () => {
  it('ask once, without tools, and return the text and its cost', async () => {
    server.answer(say('Fixed the basket.'));
    expect(await summarizer().ask(QUESTION)).toEqual({
      kind: 'answered',
      text: 'Fixed the basket.',
      tokensIn: 1_000,
      tokensOut: 50,
    });
    const [{ path, headers, body }] = server.questions as [(typeof server.questions)[number]];
    expect([path, headers.authorization]).toEqual(['/v1/messages', 'Bearer test-key']);
    expect(body).toEqual({
      model: 'claude-haiku-5-5',
      max_tokens: 300,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'What was done?' }],
    });
  });

  it('send a temperature only if it is set', async () => {
    await summarizer({ temperature: 0.3 }).ask(QUESTION);
    expect(server.questions[0]?.body.temperature).toBe(0.3);
  });

  it.each([
    ['429 in seconds', fail(429, { 'retry-after': '17' }), 'busy', 17_000],
    ['429 with a date', fail(429, { 'retry-after': 'Sun, 15 Nov 2026 12:01:00 GMT' }), 'busy', 60_000],
    ['429 with nonsense', fail(429, { 'retry-after': 'soon' }), 'busy', null],
    ['429 for a year', fail(429, { 'retry-after': '31536000' }), 'busy', 86_400_000],
    ['529', fail(529), 'busy', null],
    ['500', fail(500), 'busy', null],
    ['503 with a wait', fail(503, { 'retry-after': '5' }), 'busy', 5_000],
    ['401', fail(401), 'refused', null],
    ['403', fail(403), 'refused', null],
    ['404', fail(404), 'refused', null],
    ['400', fail(400), 'rejected', null],
    ['413', fail(413), 'rejected', null],
    ['a reset', reset, 'lost', null],
  ])('G8: return %s as a failure without retrying', async (_, behavior, why, retryAfterMs) => {
    server.answer(behavior);
    expect(await summarizer().ask(QUESTION)).toMatchObject({ kind: 'failed', why, retryAfterMs });
    expect(server.questions).toHaveLength(1);
  });

  it.each([
    ['that never answers', hang],
    ['that answers a byte at a time', drip],
  ])('G8: abandon a service %s after the timeout', async (_, behavior) => {
    server.answer(behavior);
    expect(await summarizer({ timeoutMs: 150 }).ask(QUESTION)).toMatchObject({ kind: 'failed', why: 'lost' });
  });

  it('G9: do not read ten megabytes', async () => {
    server.answer(say('x'.repeat(10 * 1024 * 1024)));
    expect(await summarizer().ask(QUESTION)).toMatchObject({ kind: 'failed', why: 'lost' });
  });

  it.each([
    ['a page', raw('<html><body>Sign in</body></html>', 'text/html')],
    ['an empty object', raw('{}')],
    ['null', raw('null')],
    ['a list', raw('[1,2]')],
    ['content of the wrong kind', raw('{"content":"words"}')],
    ['content with nothing in it', raw('{"content":[null,7]}')],
    ['a tool call', blocks([{ type: 'tool_use', id: 't', name: 'rm', input: {} }], { stop_reason: 'tool_use' })],
    ['a refusal', blocks([{ type: 'text', text: 'No.' }], { stop_reason: 'refusal' })],
    ['no blocks', blocks([])],
  ])('G9: find no text in %s', async (_, behavior) => {
    server.answer(behavior);
    expect(await summarizer().ask(QUESTION)).toMatchObject({ kind: 'answered', text: '' });
  });

  it('G9: treat broken JSON as a lost answer', async () => {
    server.answer(raw('{"content":[{"type":"te'));
    expect(await summarizer().ask(QUESTION)).toMatchObject({ kind: 'failed', why: 'lost' });
  });

  it('follow no redirect with the key', async () => {
    await using other = await startModelServer();
    server.answer((response) => void response.writeHead(307, { location: `${other.url}/v1/messages` }).end());
    expect(await summarizer().ask(QUESTION)).toMatchObject({ kind: 'failed' });
    expect(other.questions).toEqual([]);
  });

  it.each(['http://example.com', 'ftp://127.0.0.1', 'nonsense', 'https://key@api.example.com'])(
    'J15: send no key to %s',
    (baseUrl) => {
      expect(() => summarizer({ baseUrl })).toThrow(/must use https/);
    },
  );

  it('treat another key, address or model as another service', () => {
    const services = [{}, { apiKey: 'other' }, { model: 'claude-haiku-4-5' }, { baseUrl: 'https://example.com' }];
    expect(new Set(services.map((parts) => summarizer(parts).service)).size).toBe(4);
    expect(summarizer().service).not.toContain('test-key');
  });
});
