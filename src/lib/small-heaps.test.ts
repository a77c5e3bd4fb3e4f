import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childEnv } from '../../test/support/processes.ts';

const MAKE_GARBAGE = join(import.meta.dirname, '../../test/support/make-garbage.ts');

it('the space for new objects does not grow until every holder has let go', () => {
  const output = execFileSync(process.execPath, [MAKE_GARBAGE], { encoding: 'utf8', env: childEnv() });
  const { enough, whileHeld, afterwards } = JSON.parse(output) as Record<string, number>;
  expect(whileHeld).toBe(enough);
  expect(afterwards).toBeGreaterThan(enough ?? 0);
});
