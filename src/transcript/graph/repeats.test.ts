import { describe, expect, it } from 'vitest';
import {
  assistantLine,
  envelope,
  linesOf,
  parseFiles,
  parseLines,
  text,
  toolResult,
  toolUse,
  userLine,
  uuid,
} from '../testing/parse-text.ts';

type Line = { readonly uuid: string; readonly parentUuid: string | null; readonly message?: { content: unknown } };

const prompt = userLine([...text('<ide_opened_file>a.ts</ide_opened_file>'), ...text('go')], { at: 1 }) as Line;
const thought = assistantLine([{ type: 'thinking', thinking: 'Hm.', signature: 's' }], {
  parentUuid: prompt.uuid,
  at: 2,
}) as Line;
const call = assistantLine(toolUse('t1', 'Bash', { command: 'ls' }), { parentUuid: thought.uuid, at: 3 }) as Line;
const result = userLine(toolResult('t1', 'a.ts'), { parentUuid: call.uuid, at: 4 }) as Line;
const answer = assistantLine(text('Done.'), { id: 'msg_2', parentUuid: result.uuid, at: 5 }) as Line;
const duration = envelope('system', {
  subtype: 'turn_duration',
  durationMs: 4000,
  parentUuid: answer.uuid,
  at: 5,
}) as Line;
const conversation = [prompt, thought, call, result, answer, duration];

/** Repeats the lines under new uuids, as some clients wrote them; the prompt as one line per block. */
function again(lines: readonly Line[]): readonly Line[] {
  const renamed = new Map<string, string>();
  let last: string | null = null;
  return lines.flatMap((line) => {
    const content = line.message?.content;
    const parts = line === prompt && Array.isArray(content) ? content.map((block) => [block]) : [content];
    return parts.map((part, at) => {
      const fresh = uuid();
      const parentUuid = at > 0 ? last : (renamed.get(line.parentUuid ?? '') ?? null);
      renamed.set(line.uuid, fresh);
      last = fresh;
      const message = line.message === undefined ? {} : { message: { ...line.message, content: part } };
      return { ...line, ...message, uuid: fresh, parentUuid, version: '2.1.14' };
    });
  });
}

describe('a conversation that was written twice', () => {
  const once = parseLines(conversation);
  const copy = again(conversation);
  const next = userLine('and now?', { parentUuid: copy.at(-1)?.uuid ?? '', at: 60 });
  const twice = parseLines([...conversation, ...copy, next]);

  it('shows each step once', () => {
    expect(twice.session.messages.slice(0, -1).map(({ id, origin }) => [id, origin])).toEqual(
      once.session.messages.map(({ id, origin }) => [id, origin]),
    );
    expect(twice.blocks.slice(0, -1)).toEqual(once.blocks);
    expect(twice.session.toolCalls).toEqual(once.session.toolCalls);
    expect(twice.session.anomalies.get('repeated_line')).toBe(copy.length);
    expect(twice.session.turns[0]).toEqual(once.session.turns[0]);
  });

  it('continues from the copy, without a branch', () => {
    expect(twice.session.branches).toEqual([]);
    const [, last] = twice.session.turns;
    expect(last?.parentTurnId).toBe(prompt.uuid);
    expect(twice.session.messages.at(-1)?.parentMessageId).toBe(duration.uuid);
  });

  it('counts the larger of two usages', () => {
    const final = { input_tokens: 3, output_tokens: 70 };
    const { session } = parseLines([
      assistantLine(text('Done.'), { id: 'm', at: 1 }),
      assistantLine(text('Done.'), { id: 'm', at: 1, usage: final }),
    ]);
    expect(session.stats).toMatchObject({ assistantMessages: 1, tokensOut: 70 });
  });

  it('is also detected in two files, and in lines that differ only in size', () => {
    const moved = conversation.map((line) => ({ ...line, cwd: '/somewhere/else' }));
    const { session, blocks } = parseFiles([{ bytes: linesOf(conversation) }, { bytes: linesOf(moved) }]);
    expect(session.messages).toHaveLength(once.session.messages.length);
    expect(blocks).toEqual(once.blocks);
  });

  it('is not detected where a person repeated a message', () => {
    // A resume by 1.0 gives all copied lines its own time.
    const first = userLine('continue', { at: 1 }) as Line;
    const reply = assistantLine(text('ok'), { id: 'm1', parentUuid: first.uuid, at: 1 }) as Line;
    const second = userLine('continue', { parentUuid: reply.uuid, at: 1 }) as Line;
    const { session } = parseLines([first, reply, second, assistantLine(text('ok'), { id: 'm2', at: 1 })]);
    expect(session.messages).toHaveLength(4);
  });
});

describe('an edited first prompt', () => {
  const hook = envelope('progress', { data: { type: 'hook_progress' }, at: 0 }) as Line;
  const ask = (said: string, at: number, parentUuid: string | null = null) =>
    userLine(said, { at, parentUuid }) as Line;

  it.each([null, hook.uuid])('is a branch at the root, under %s', (parentUuid) => {
    const [first, second] = [ask('one', 1, parentUuid), ask('two', 9, parentUuid)];
    const { session } = parseLines([
      hook,
      first,
      assistantLine(text('1'), { id: 'm1', parentUuid: first.uuid, at: 2 }),
      second,
      assistantLine(text('2'), { id: 'm2', parentUuid: second.uuid, at: 10 }),
    ]);
    expect(session.branches).toEqual([
      {
        uuid: '',
        messageId: null,
        agentId: null,
        turnIds: [first.uuid, second.uuid],
        currentTurnId: second.uuid,
      },
    ]);
    expect(session.turns.map(({ isBranch }) => isBranch)).toEqual([true, true]);
  });

  it('is not detected for prompts of two files, under missing parents, or of another session', () => {
    const [first, second] = [ask('one', 1), ask('two', 9)];
    expect(parseFiles([{ bytes: linesOf([first]) }, { bytes: linesOf([second]) }]).session.branches).toEqual([]);
    expect(parseLines([ask('one', 1, uuid()), ask('two', 9, uuid())]).session.branches).toEqual([]);
    const copied = { ...first, sessionId: uuid() };
    expect(parseLines([copied, second]).session.branches).toEqual([]);
  });
});
