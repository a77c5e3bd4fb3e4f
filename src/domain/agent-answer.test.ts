import { describe, expect, it } from 'vitest';
import { agentAnswer, lastLine } from './agent-answer.ts';

describe('answers of sub-agents', () => {
  it.each([
    ["Done.\nagentId: a775a67 (for resuming to continue this agent's work if needed)", 'Done.'],
    [
      "All is well.\n\nagentId: a1 (use SendMessage with to: 'a1' to continue this agent)\nworktreePath: /w\nworktreeBranch: b\n<usage>total_tokens: 1\ntool_uses: 2\nduration_ms: 3</usage>",
      'All is well.',
    ],
    ['The agentId: a1 (of the first one)\nis in the text.', 'The agentId: a1 (of the first one)\nis in the text.'],
    ['Nothing added.', 'Nothing added.'],
  ])('%j', (result, answer) => {
    expect(agentAnswer(result)).toBe(answer);
  });

  it('the last line is the last one that has text', () => {
    expect(lastLine('First.\n\n Last. \n\n')).toBe('Last.');
    expect(lastLine('')).toBe('');
    expect(lastLine('x'.repeat(1_000))).toHaveLength(300);
  });

  it('takes linear time', () => {
    expect(agentAnswer('agentId: a (\n'.repeat(50_000))).toContain('agentId');
    expect(agentAnswer('\n'.repeat(100_000))).toHaveLength(100_000);
  });
});
