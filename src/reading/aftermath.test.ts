import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../api/transcript.ts';
import { aftermathOf } from './aftermath.ts';
import type { Entry, EntryOf } from './entry.ts';
import type { ToolCall } from './tool-call.ts';

const message = (ordinal: number) => ({ id: `m${ordinal}`, ordinal, model: 'm' }) as unknown as MessageRow;

function call(toolName: string, input: Record<string, string>, status = 'ok'): ToolCall {
  const outcome = { isError: status === 'error', text: '', status, exitCode: null, durationMs: null, waitingMs: null };
  const about = Object.values(input)[0] ?? '';
  return {
    id: 't',
    toolName,
    name: toolName,
    input,
    cwd: null,
    about,
    outcome,
    result: null,
    subagents: [],
    facts: null,
  };
}
let at = 0;
function tool(...args: Parameters<typeof call>): EntryOf<'tool'> {
  at += 1;
  return { kind: 'tool', key: `k${at}`, message: message(at), ordinals: [at], call: call(...args) };
}
const bash = (command: string, status?: string) => tool('Bash', { command }, status);
const spoken = (key: string) => ({ key, message: message(99), ordinals: [99], text: key });
const answer = (text: string): Entry => ({ kind: 'answer', isCut: false, isNewSpeaker: false, ...spoken(text) });
const prompt = (text: string): Entry => ({
  kind: 'prompt',
  speaker: 'You',
  media: [],
  injected: [],
  branch: null,
  ...spoken(text),
});

describe('what followed a failed call', () => {
  it('counts attempts that failed, not those that were denied, stopped or started in the background', () => {
    const following = ['error', 'denied', 'interrupted', 'background', 'pending'].map((status) =>
      bash('npm test', status),
    );
    expect(aftermathOf(call('Bash', { command: 'npm test' }, 'error'), following).failures).toBe(1);
  });

  it('is the same command that worked, with the messages and changes before it', () => {
    const worked = bash('cd app && npm test -- --run | tail -5');
    const following = [
      answer('The mock is missing.'),
      tool('Edit', { file_path: '/w/a.ts' }),
      bash('npm test', 'error'),
      bash('npm install'),
      prompt('Try the other file.'),
      tool('Write', { file_path: '/w/b.ts' }),
      tool('Edit', { file_path: '/w/c.ts' }, 'error'),
      worked,
      tool('Edit', { file_path: '/w/later.ts' }),
      answer('Done.'),
    ];
    expect(aftermathOf(call('Bash', { command: 'npm test -- src/a.test.ts' }, 'error'), following)).toEqual({
      said: 'The mock is missing.',
      asked: 'Try the other file.',
      changed: ['/w/a.ts', '/w/b.ts'],
      failures: 1,
      success: worked,
    });
  });

  it('is a change of the same file with another tool', () => {
    const worked = tool('Write', { file_path: '/w/a.ts' });
    const failed = call('Edit', { file_path: '/w/a.ts' }, 'error');
    expect(aftermathOf(failed, [tool('Write', { file_path: '/w/b.ts' }), worked]).success).toBe(worked);
  });

  it.each([
    ['another command of the same program', 'git push', 'git status'],
    ['only the programs around it are the same', 'cd a && make x | head', 'cd a && ls | head'],
  ])('is nothing if %s worked', (_, failed, other) => {
    const after = aftermathOf(call('Bash', { command: failed }, 'error'), [bash(other)]);
    expect(after).toMatchObject({ success: null, failures: 0 });
  });

  it('is nothing at the end of a conversation', () => {
    const nothing = { said: null, asked: null, changed: [], failures: 0, success: null };
    expect(aftermathOf(call('Read', { file_path: '/x' }, 'error'), [])).toEqual(nothing);
  });
});
