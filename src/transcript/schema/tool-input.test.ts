import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REAL_FILES, realLines } from '../testing/schema-lines.ts';
import { validateToolInput } from './tool-input.ts';

describe('tool inputs', () => {
  it('are validated by tool', () => {
    expect(validateToolInput('Bash', { command: 'ls' })).toEqual({ known: true, ok: true, issues: [] });
    expect(validateToolInput('Bash', { description: 'list' }).issues).toEqual([
      { path: 'command', message: 'expected string, received undefined' },
    ]);
    expect(validateToolInput('Edit', { file_path: '/a', old_string: 'a', new_string: 'b', mood: 1 }).ok).toBe(true);
  });

  it('report invented fields on request', () => {
    expect(validateToolInput('Read', { file_path: '/a', mood: 'good' }, { strict: true }).issues).toEqual([
      { path: 'mood', message: 'unknown field' },
    ]);
  });

  it.each(['mcp__kitchen__heat', '__proto__', 'constructor', ''])('of the unknown tool %j are accepted', (name) => {
    expect(validateToolInput(name, { any: 'thing' })).toEqual({ known: false, ok: true, issues: [] });
  });

  it('never throw', () => {
    for (const input of [undefined, null, 1, 'x', [], { questions: 7 }]) {
      expect(validateToolInput('AskUserQuestion', input, { strict: true }).ok).toBe(false);
    }
  });
});

interface Block {
  readonly type?: string;
  readonly name: string;
  readonly input: unknown;
}

function* realCalls(): Generator<Block> {
  for (const { value } of realLines()) {
    const content = (value as { message?: { content?: unknown } } | null)?.message?.content;
    if (Array.isArray(content)) yield* (content as Block[]).filter((block) => block.type === 'tool_use');
  }
}

describe.runIf(existsSync(REAL_FILES))('real calls', () => {
  it('are valid, except where the model violated the schema', () => {
    const strays = new Map<string, number>();
    for (const { name, input } of realCalls()) {
      for (const { path } of validateToolInput(name, input, { strict: true }).issues) {
        strays.set(`${name}.${path}`, (strays.get(`${name}.${path}`) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(strays)).toEqual({
      'AskUserQuestion.questions': 3,
      'AskUserQuestion.question': 2,
      'AskUserQuestion.__unparsedToolInput': 1,
    });
  });
});
