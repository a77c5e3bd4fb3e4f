import { describe, expect, it } from 'vitest';
import { assistantLine, fixture, parseBytes, parseLines, text, toolUse, userLine } from '../testing/parse-text.ts';

const SESSION_ID = '11111111-1111-4111-8111-111111111111';
const open = (name: string) => parseBytes(fixture(name), { sessionId: SESSION_ID });

describe('messages', () => {
  it('an API message over several lines, with tool results between, is one message with its usage once', () => {
    const { session, blocks } = open('streamed-message.jsonl');
    const message = session.messages[1];
    expect(message).toMatchObject({
      apiMessageId: 'msg_a',
      stopReason: 'tool_use',
      hasThinking: true,
      hasToolUse: true,
    });
    expect(message?.lines.map((line) => line.line)).toEqual([2, 3, 5]);
    expect(message?.usage).toMatchObject({ input: 4, output: 41, cacheRead: 100, cacheWrite5m: 30, cacheWrite1h: 20 });
    const own = blocks.filter((block) => block.messageId === message?.id);
    expect(own.map((block) => [block.blockOrder, block.blockType])).toEqual([
      [0, 'thinking'],
      [1, 'tool_use'],
      [2, 'tool_use'],
    ]);
    expect(own[0]).toMatchObject({ thinkingText: '', metadata: { signed: true } });
    expect(session.stats).toMatchObject({
      totalMessages: 5,
      userMessages: 1,
      assistantMessages: 2,
      toolUseCount: 2,
      thinkingBlocks: 1,
      tokensIn: 8,
      tokensOut: 53,
      cacheReadTokens: 200,
      cacheWriteTokens: 100,
      costNanos: null,
      durationMs: 5000,
    });
  });

  it('an id under several requests is several messages; a line without a request belongs to the first', () => {
    const { session } = open('reused-message-id.jsonl');
    const counted = session.messages.filter((message) => message.usage !== null);
    expect(counted.map((message) => [message.usageKey, message.usage?.output, message.lines.length])).toEqual([
      ['msg_same', 5, 2],
      ['msg_same:req_2', 6, 1],
    ]);
  });

  it('an answer without a message id is the lines of its request, or each line on its own', () => {
    const { session } = parseLines([
      assistantLine(text('a'), { id: '', requestId: 'req_1', output: 1 }),
      assistantLine(toolUse('t', 'Read'), { id: '', requestId: 'req_1', output: 7 }),
      assistantLine(text('b'), { id: '', requestId: 'req_2' }),
      assistantLine(text('c'), { id: '', requestId: '', uuid: 'line-c' }),
      assistantLine(text('d'), { id: '', requestId: '', uuid: 'line-d' }),
    ]);
    expect(session.messages.map(({ usageKey, usage, lines }) => [usageKey, usage?.output, lines.length])).toEqual([
      ['req_1', 7, 2],
      ['req_2', 5, 1],
      ['line-c', 5, 1],
      ['line-d', 5, 1],
    ]);
  });

  it('cost and rate come from the given price; unknown models are listed, never priced at zero', () => {
    const price = (model: string) => (model === 'claude-opus-4-6' ? { costNanos: 1500, rateId: 'opus' } : null);
    const lines = [
      assistantLine(text('a'), { id: 'm1' }),
      assistantLine(text('b'), { id: 'm2', model: 'new-model' }),
      assistantLine(text('c'), { id: 'm3', model: '<synthetic>' }),
    ];
    const { session } = parseLines(lines, { price });
    expect(session.messages.map((message) => [message.costNanos, message.rateId])).toEqual([
      [1500, 'opus'],
      [null, null],
      [null, null],
    ]);
    expect(session.stats).toMatchObject({ costNanos: 1500, unknownModels: ['new-model'], assistantMessages: 2 });
    expect(session.totals.unpricedMessages).toBe(1);
    expect(session.anomalies.get('unknown_model')).toBe(1);
  });

  it.each([
    ['2.1.19', 0],
    ['2.1.20', 1],
    ['2.1.47', 1],
    ['2.1.48', 0],
    ['2.0.30', 0],
  ])('client %s: %i messages marked as undercounted', (version, expected) => {
    const { session } = parseLines([assistantLine(text('a'), { version })]);
    expect(session.anomalies.get('undercounted_usage') ?? 0).toBe(expected);
    expect(session.messages[0]?.metadata['undercounted'] === true).toBe(expected === 1);
  });

  it.each([[['opus', null]], [[null, 'opus']], [['', 'opus']], [['opus', '']]])(
    'the model of a message is the one that a line names: %j',
    (models) => {
      const { session } = parseLines(
        models.map((model, at) => assistantLine(text('a'), { model: model as string, at })),
      );
      expect(session.messages).toMatchObject([{ model: 'opus' }]);
    },
  );

  it.each([
    ['a long answer', text('word '.repeat(40)), { output_tokens: 8 }, null, 1],
    ['a call', toolUse('t1', 'Bash', { command: 'ls' }), { output_tokens: 3 }, null, 1],
    ['the text in a call', toolUse('t1', 'Write', { content: 'x'.repeat(900) }), { output_tokens: 40 }, null, 1],
    ['a short answer', text('Done.'), { output_tokens: 3 }, null, 0],
    ['an answer with its final count', text('word '.repeat(40)), { output_tokens: 48 }, null, 0],
    ['an answer with a stop reason', text('word '.repeat(40)), { output_tokens: 8 }, 'end_turn', 0],
  ] as const)('fewer tokens than possible for %s, in any version', (_, content, usage, stopReason, expected) => {
    const line = assistantLine(content, { version: '2.1.12', usage }) as { readonly message: object };
    const { session } = parseLines([{ ...line, message: { ...line.message, stop_reason: stopReason } }]);
    expect(session.anomalies.get('undercounted_usage') ?? 0).toBe(expected);
  });

  it('a cache write without a tier counts as five minutes; the total decides', () => {
    const usages = [
      { cache_creation_input_tokens: 9 },
      { cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 4 } },
      { cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 } },
      { cache_creation_input_tokens: 2, cache_creation: { ephemeral_1h_input_tokens: 5 } },
    ];
    const { session } = parseLines(usages.map((usage, at) => assistantLine(text('a'), { id: `m${at}`, usage })));
    const split = session.messages.map(({ usage }) => [usage?.cacheWrite5m, usage?.cacheWrite1h]);
    expect(split).toEqual([
      [9, 0],
      [5, 4],
      [2, 3],
      [0, 2],
    ]);
  });
});

describe('origin of messages', () => {
  it('distinguishes a person from injected text', () => {
    const { session, blocks } = open('voices.jsonl');
    expect(session.messages.map((message) => message.origin)).toEqual([
      'meta',
      'command',
      'command_output',
      'human',
      'model',
      'bash_input',
      'bash_output',
      'interruption',
      'teammate',
      'task_notification',
      'meta',
      'human',
      'synthetic',
      'model',
      'meta',
    ]);
    expect(session.stats).toMatchObject({ userMessages: 2, assistantMessages: 2 });
    expect(session.facts).toMatchObject({ initialPrompt: 'What does this do?', permissionModes: ['acceptEdits'] });
    expect(session.apiErrors).toMatchObject([{ kind: 'rate_limit', status: 529 }]);
    expect(blocks.filter((block) => block.contentText === 'What does this do?')).toHaveLength(1);
  });

  it('a queued prompt counts once, even if the queue operation is its only trace', () => {
    const { session, blocks } = open('queue.jsonl');
    const spoken = session.messages.filter((message) => message.origin === 'human' || message.origin === 'queued');
    const said = spoken.map((message) => blocks.find((block) => block.messageId === message.id)?.contentText);
    expect(said).toEqual(['Start', 'also add a test', 'and a changelog line', 'now push']);
    expect(spoken.map((message) => message.messageType)).toEqual(['user', 'user', 'attachment', 'user']);
    expect(session.stats.userMessages).toBe(4);
    expect(session.messages.map((message) => message.ordinal)).toEqual(session.messages.map((_, at) => at));
    expect(session.queue.map((operation) => operation.operation)).toHaveLength(8);
  });

  it('an image alone is a prompt without text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    const { session } = parseLines([userLine([image])]);
    expect(session.messages[0]).toMatchObject({ origin: 'human', hasText: false });
    expect(session.facts.initialPrompt).toBeNull();
  });
});

describe('facts of the session', () => {
  it('a current client', () => {
    const { session } = open('client-today.jsonl');
    expect(session.facts).toMatchObject({
      title: 'My title',
      initialPrompt: 'hello',
      lastPrompt: 'hello',
      models: ['claude-opus-4-6'],
      cwds: ['/home/dev/app', '/home/dev/app/.claude/worktrees/x'],
      entrypoint: 'cli',
      permissionModes: ['default'],
      versions: ['2.1.325'],
    });
    expect(session.pullRequests).toEqual([{ number: 37, url: 'https://example.test/pull/37', repository: 'a/b' }]);
    expect(session.worktrees).toMatchObject([{ name: 'x', branch: 'worktree-x' }]);
    expect(session.clientCost).toMatchObject({
      costNanos: 1_250_000_000,
      linesAdded: 3,
      models: [{ tokens: { cacheWrite5m: 50 } }],
    });
    expect(session.apiErrors).toMatchObject([
      { kind: 'overloaded_error', status: 529, text: 'Overloaded', retryInMs: 513 },
    ]);
    expect(JSON.stringify(session)).not.toContain('secret');
    expect(session.links).toMatchObject([{ kind: 'cleared', sessionId: '22222222-2222-4222-8222-222222222222' }]);
  });

  it('the first clients: no request id, costs on the lines, summaries of other conversations', () => {
    const { session } = open('client-0.2.jsonl');
    expect(session.facts).toMatchObject({ title: 'Greeting', versions: ['0.2.106', '1.0.17'] });
    expect(session.clientCost).toMatchObject({ costNanos: null, lineCostNanos: 1_032_000 });
    expect(session.stats).toMatchObject({ assistantMessages: 1, tokensOut: 10 });
    expect(session.messages.map((message) => message.messageType)).toEqual([
      'user',
      'assistant',
      'summary',
      'summary',
      'system',
    ]);
  });
});
