import { expect, test } from 'vitest';
import { sessionsQuery } from './session-query.ts';

test('days are inclusive, and values are quoted if necessary', () => {
  expect(sessionsQuery({ since: '2026-11-10', until: '2026-11-30', models: ['claude-opus-5-5'] })).toBe(
    'used_after:2026-11-10 used_before:2026-12-01 model:claude-opus-5-5',
  );
  expect(sessionsQuery({ workspace: 'folder:/home/ada/my work', branch: 'fix/"quoted" name' })).toBe(
    'workspace:"folder:/home/ada/my work" used_branch:quoted',
  );
  expect(sessionsQuery({ models: ['opus', 'new model', ''], branch: 'main' })).toBe(
    '(model:opus OR model:"new model") used_branch:=main',
  );
  expect(sessionsQuery({ branch: 'my branch' })).toBe('used_branch:"=my branch"');
  expect(sessionsQuery({ since: null, tool: '' })).toBe('');
  const period = { since: '2026-11-10', until: null, label: 'since then' };
  expect(sessionsQuery(period)).toBe('used_after:2026-11-10');
});
