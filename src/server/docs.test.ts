import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROUTES } from './routes.ts';
import { CONTENT_SECURITY_POLICY } from './security.ts';

const api = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const security = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

describe('docs/api.md', () => {
  test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route.about]))(
    'has a row for %s',
    (name, about) => {
      expect(api).toContain(`| \`${name}\` | ${about} |`);
    },
  );

  test('has no row for a route that is not there', () => {
    const rows = [...api.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)` \|/gm)].map((match) => match[1]);
    expect(new Set(rows)).toEqual(new Set(ROUTES.map((route) => `${route.method} ${route.path}`)));
  });
});

test('docs/security.md quotes the policy that is sent', () => {
  expect(security).toContain(CONTENT_SECURITY_POLICY);
});
