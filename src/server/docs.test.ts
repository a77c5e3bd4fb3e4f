import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from './security.ts';

const security = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

test('docs/security.md quotes the policy that is sent', () => {
  expect(security).toContain(CONTENT_SECURITY_POLICY);
});
