import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';

it.each([
  ['name,password\nada,hunter22\ngrace,Tr0ub4dor', 'name,password\nada,[secret:password]\ngrace,[secret:password]'],
  [
    '     1→email;api_key\n     2→ada@example.org;"k9X2vQ7mR4tZ8wB1"',
    '     1→email;api_key\n     2→ada@example.org;"[secret:assigned-secret]"',
  ],
  [
    '| User | Password | Role |\n|---|---|---|\n| ada | `hunter22` | admin |',
    '| User | Password | Role |\n|---|---|---|\n| ada | `[secret:password]` | admin |',
  ],
  [
    ' id | password \n----+----------\n  1 | hunter22\n(1 row)',
    ' id | password \n----+----------\n  1 | [secret:password]\n(1 row)',
  ],
  ...['+', '> ', '# ', 'a.md:7:', '     7→'].map((lead) => [
    ['| User | Password |', '|---|---|', '| ada | hunter22 |'].map((line) => lead + line).join('\n'),
    ['| User | Password |', '|---|---|', '| ada | [secret:password] |'].map((line) => lead + line).join('\n'),
  ]),
])('removes what is below the heading: %j', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

it.each([
  'name,password\nada,<hidden>',
  '| Option | Token |\n|---|---|\n| --max | the number of tokens |',
  'export { user, password,\n  confirm2, other1 };',
  '| Field | Password |\n|---|---|\n| Required | yes |',
  'user, password, token\n',
])('leaves other tables alone: %j', (text) => {
  expect(redact(text)).toBe(text);
});

it('reads each row once, also where every line looks like a heading', () => {
  const text = 'name,password\n'.repeat(100_000);
  expect(redact(text)).toBe(text);
});
