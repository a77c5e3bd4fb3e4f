import { expect, test } from 'vitest';
import { describeFile } from './scan-files.ts';

const S1 = '0f3c1f9e-8d0e-4d7e-9f5a-0a1b2c3d4e5f';

test.each([
  [`-home-dev/${S1}.jsonl`, 'main', S1],
  [`-home-dev/${S1}/subagents/agent-a1b2c3d.jsonl`, 'agent', S1],
  [`-home-dev/${S1}/subagents/workflows/wf_1/agent-a1b2c3d.jsonl`, 'agent', S1],
  [`-home-dev/${S1}/subagents/agent-aside_question-1234.jsonl`, 'aside', S1],
  ['-home-dev/agent-a1b2c3d.jsonl', 'agent', ''],
  ['-home-dev/full.jsonl', 'main', ''],
  ['x.jsonl', 'main', ''],
])('%s', (path, role, sessionId) => {
  expect(describeFile(path, 3)).toEqual({ index: 3, role, sessionId });
});
