import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';

it('finds the values of secret columns', () => {
  expect(
    redact(
      "INSERT INTO users (id, email, password) VALUES (1, 'ada@example.org', 'Falcon-River-42'), (2, 'b', 'x7!Kq9#mPz2w');",
    ),
  ).toBe(
    "INSERT INTO users (id, email, password) VALUES (1, 'ada@example.org', '[secret:password]'), (2, 'b', '[secret:password]');",
  );
  expect(redact('{"value":"k9X2vQ7mR4tZ8wB1","name":"API_TOKEN"}')).toBe(
    '{"value":"[secret:token]","name":"API_TOKEN"}',
  );
});

it.each([
  "INSERT INTO users (id, email, role) VALUES (1, 'ada@example.org', 'admin42');",
  'INSERT INTO users (id, password) VALUES ($1, $2)',
  "INSERT INTO users (id, password) VALUES (?, crypt(?, gen_salt('bf')))",
  '{"value":"k9X2vQ7mR4tZ8wB1","name":"color"}',
])('leaves %s alone', (text) => {
  expect(redact(text)).toBe(text);
});
