import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../../test/support/sizes.ts';
import { createRedactor } from './redact.ts';
import { plantVendors } from './testing/planted.ts';
import { createRandom } from './testing/random.ts';
import { redact, redactor, SEEDS } from './testing/redactor.ts';
import { CANARIES, chars, hex, PEM, SECRETS } from './testing/secrets.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

it('has an example of every rule', () => {
  const texts = [...CANARIES, ...SEEDS.flatMap((seed) => plantVendors(createRandom(seed)))].map(({ text }) => text);
  const found = new Set(texts.flatMap((text) => [...redactor.text(text).replaced.keys()]));
  expect(VENDOR_FORMATS.map(({ kind }) => kind).filter((kind) => !found.has(kind))).toEqual([]);
});

it.each(CANARIES)('J1: removes a $kind completely', ({ kind, text, secret }) => {
  const { value, replaced } = redactor.text(`before ${text} after`);
  expect(value).not.toContain(secret);
  expect([...replaced.keys()]).toEqual([kind]);
});

it.each(SECRETS)('J1: recognizes %s by its format', (kind, secret) => {
  const { value, replaced } = redactor.text(`before ${secret} after`);
  expect(value).toBe(`before [secret:${kind}] after`);
  expect([...replaced]).toEqual([[kind, 1]]);
});

it.each(SECRETS)('J1: finds %s in every typical place', (_, secret) => {
  const places = [
    `export THING=${secret}`,
    `"thing": "${secret}"`,
    `{\\"thing\\":\\"${secret}\\"}`,
    `curl -H 'X-Thing: ${secret}' https://example.com/?a=1&k=${secret}&b=2`,
    `(${secret})`,
    `first line\n${secret}\nlast line`,
  ];
  for (const place of places) expect(redact(place), place).not.toContain(secret);
});

it('recognizes JSON values by the names beside them', () => {
  const { value } = redactor.json({
    env: [
      { name: 'SMTP_PASS', value: 'lovelace' },
      { value: chars(20), key: 'API_KEY' },
    ],
    args: ['curl', '-u', 'ada:lovelace1', '--token', chars(20), 'https://x.example'],
    headers: { Authorization: `Token ${chars(20)}`, Accept: '*/*' },
    secret: { kind: 'Secret', data: { url: 'bG92ZWxhY2U=' } },
    image: { type: 'base64', media_type: 'image/png', data: `AA/${chars(40)}` },
    pwd: '/srv/shop',
    token: 'color.background',
  });
  expect(value).toEqual({
    env: [
      { name: 'SMTP_PASS', value: '[secret:password]' },
      { value: '[secret:assigned-secret]', key: 'API_KEY' },
    ],
    args: ['curl', '-u', 'ada:[secret:password]', '--token', '[secret:token]', 'https://x.example'],
    headers: { Authorization: 'Token [secret:token]', Accept: '*/*' },
    secret: { kind: 'Secret', data: { url: '[secret:assigned-secret]' } },
    image: { type: 'base64', media_type: 'image/png', data: `AA/${chars(40)}` },
    pwd: '/srv/shop',
    token: 'color.background',
  });
});

it('replaces home directories by ~', () => {
  expect(redact('/Users/ada/shop/a.ts and /home/ada.b/x and C:\\Users\\ada\\y')).toBe('~/shop/a.ts and ~/x and ~\\y');
  expect(redact('cd /srv/people/ada/shop; ls /srv/people/adam')).toBe('cd ~/shop; ls /srv/people/adam');
  expect(redact('/home/ada')).toBe('~');
  expect(redact('https://example.com/home/ada')).toBe('https://example.com/home/ada');
});

it('J3: keeps the structure of JSON', () => {
  const secret = `ghp_${chars(36)}`;
  const { value, replaced } = redactor.json({ a: [secret, 1, null], password: 'hunter22', [secret]: { b: 'plain' } });
  expect(value).toEqual({
    a: ['[secret:github-token]', 1, null],
    password: '[secret:password]',
    '[secret:github-token]': { b: 'plain' },
  });
  expect([...replaced].toSorted()).toEqual([
    ['github-token', 2],
    ['password', 1],
  ]);
});

it('J3: any JSON keeps its shape', () => {
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : typeof value === 'object' && value !== null
        ? Object.values(value).map(shape)
        : typeof value;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { value: redacted } = redactor.json(value as never);
      expect(shape(JSON.parse(JSON.stringify(redacted)))).toEqual(shape(JSON.parse(JSON.stringify(value))));
    }),
  );
});

const secretOrGlue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SECRETS.map(([, secret]) => secret), PEM, chars(40), hex(40)) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'password=',
      'TOKEN: ',
      '"secret":"',
      '"',
      "'",
      '://',
      'https://a:',
      '@',
      ' ',
      '\n',
      '/',
      '/home/ada',
      '/Users/',
      'Bearer ',
      'Basic ',
      '--password ',
      '=',
      ':',
      '\\"',
      '[secret:token]',
      '[secret:',
      ']',
      '~',
      '-----BEGIN ',
      'x',
      '.',
    ),
  },
  { weight: 1, arbitrary: fc.string() },
);

it('does not change a redacted text', () => {
  fc.assert(
    fc.property(fc.array(secretOrGlue, { maxLength: 12 }), (parts) => {
      const once = redact(parts.join(''));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: scaled(500) },
  );
});

it('J1: removes a secret between any two words', () => {
  const word = fc.string().map((text) => text.replaceAll(/[\w-]/g, ''));
  fc.assert(
    fc.property(word, fc.constantFrom(...SECRETS), word, (before, [, secret], after) => {
      expect(redact(`${before} ${secret} ${after}`)).not.toContain(secret);
    }),
  );
});

it('replaces texts configured by the user, with * as a wildcard', () => {
  const own = createRedactor({ patterns: ['acme_*', 'Project Bluebird', 'id-*-end'] });
  expect(own.text('acme_12 x acme_34, Project Bluebird id-77-end id-88').value).toBe(
    '[secret:own-pattern] x [secret:own-pattern] [secret:own-pattern] [secret:own-pattern] id-88',
  );
  expect(() => createRedactor({ patterns: ['*'] })).toThrow(/is too short/);
});
