import { expect, test } from 'vitest';
import { makeSession } from '../../test/browser/support/make-rows.ts';
import { type Compared, compareFacts, compareFiles, compareTools, describeRatio } from './compare.ts';

const file = (path: string, writes = 1) => ({ path, reads: 1, writes, lines_added: writes * 3, lines_removed: writes });
const tool = (name: string, calls: number) => {
  return {
    name,
    calls,
    sessions: 1,
    errors: 0,
    denied: 0,
    total_ms: null,
    median_ms: null,
    p95_ms: null,
    longest_ms: null,
  };
};
const one = (fields: Partial<Compared>): Compared => {
  return { session: makeSession({ id: 'a' }), turns: 2, tools: [], files: [], commits: [], ...fields };
};

test.each([
  [1, 1, 'same'],
  [1, 3, '3.0×'],
  [30, 1, '−97%'],
  [1000, 1, '<−99%'],
  [10, 12, '+20%'],
  [10, 8, '−20%'],
  [1000, 1001, '<+1%'],
  [0, 4, ''],
])('from %d to %d is %j', (first, second, text) => {
  expect(describeRatio(first, second)).toBe(text);
});

test('facts are shown side by side; an unknown cost has no size', () => {
  const facts = compareFacts(
    one({ session: makeSession({ id: 'a', cost_estimate_usd: 2 }) }),
    one({ session: makeSession({ id: 'b', cost_estimate_usd: null, git_branch: null }), turns: 6 }),
  );
  const of = (name: string) => facts.find((fact) => fact.name === name);
  expect(of('Cost')).toEqual({ name: 'Cost', texts: ['$2.00', '–'], sizes: null, difference: '' });
  expect(of('Turns')).toMatchObject({ texts: ['2', '6'], sizes: [2, 6], difference: '3.0×' });
  expect(of('Branch')).toMatchObject({ texts: ['main', '–'], difference: '' });
  expect(of('Workspace')).toMatchObject({ difference: 'same' });
});

test('tools are united, files split by who touched them', () => {
  const a = one({ tools: [tool('Read', 3), tool('Bash', 1)], files: [file('x'), file('both', 2), file('y', 4)] });
  const b = one({ tools: [tool('Bash', 5)], files: [file('both'), file('z')] });
  expect(compareTools(a, b)).toEqual([
    { name: 'Bash', sizes: [1, 5] },
    { name: 'Read', sizes: [3, 0] },
  ]);
  const { both, onlyFirst, onlySecond } = compareFiles(a, b);
  expect(both.map(({ path }) => path)).toEqual(['both']);
  expect(onlyFirst.map(({ path }) => path)).toEqual(['y', 'x']);
  expect(onlySecond.map(({ path }) => path)).toEqual(['z']);
});
