import { expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { scaled } from '../../test/support/sizes.ts';
import { CODE_CALLS } from './code-calls.ts';
import { CODES } from './codes.ts';
import { COMMAND_LINES } from './command-lines.ts';
import { PROTOCOLS } from './protocols.ts';
import { createRedactor } from './redact.ts';
import { FILE_VALUES } from './secret-files.ts';
import { SPOKEN } from './spoken.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

it('J6: no rule has an unbounded repetition', () => {
  const contexts = [...PROTOCOLS, ...COMMAND_LINES, ...FILE_VALUES, ...CODES, ...CODE_CALLS, ...SPOKEN];
  const rules = [...VENDOR_FORMATS, ...contexts].map(({ pattern }) => pattern.source);
  expect(
    rules.map((source) => source.replaceAll(/\\.|\[[^\]]*\]/g, 'c')).filter((source) => /[*+]|\{\d+,\}/.test(source)),
  ).toEqual([]);
});

const CHARS = scaled(4 * 1024);
it.each([
  ['key_'],
  ['password='],
  ['token:'],
  ['eyJ'],
  ['eyJaaaaaaaa.'],
  ['-----BEGIN RSA PRIVATE KEY-----'],
  ['-----BEGIN '],
  ['a://'],
  ['a:'],
  ['a://b:'],
  ['Bearer '],
  ['sk-'],
  ['ghp_'],
  ['/home/'],
  ['/home/a'],
  ['A'],
  ['aA0+/'],
  ['-'],
  ['.'],
  ['\\"'],
  ['secret"'],
  ['M'.repeat(26)],
  ['[secret:'],
  ['--password '],
  ['acme_'],
  ['=='],
  ['zyx_aB3'],
  ['password is '],
  ['the token '],
  ['use x9 as the password '],
  ['Passwort '],
  ['$ cat a_token\n'],
  ['insert into t (password) values ('],
  ['"value":"'],
  ['bcrypt.hash('],
  ["jwt.sign('"],
  ['"a" + '],
  ['<td>token</td>'],
  ['backup codes: '],
  ['keys: ['],
  ['tokens:\n  - '],
  ['key x9 key '],
  ['seed word '],
  ['login("a", '],
  ['a:b1@'],
  ['https://hooks.a/b'],
  ['-u a -p '],
  ['1 LOGIN '],
  ['NAME  TOKEN\n'],
  ['2f'],
  ['secrets set A=b '],
  ['gh secret set A --body '],
  ['API key\n'],
  ['the new key is:\n'],
  ['password from a to '],
  ['(echo a1; echo b2) | '],
  ['send "a1'],
  ['type(password, "'],
  ['user a on > '],
  ['dns a '],
  ['correct horse '],
  ['the password is now '],
  ["'a1' | ConvertTo-SecureString "],
])('J6: takes linear time for a text of nothing but %j', (unit) => {
  // With a clock that stands still nothing is withheld.
  const { text } = createRedactor({ patterns: ['acme_*_*_x'], nowMs: () => 0 });
  const repeat = (chars: number) => unit.repeat(Math.ceil(chars / unit.length));
  expect(growthOf(CHARS, repeat, text)).toBeLessThan(LINEAR);
});

it('J6: withholds and counts only the text that cannot be searched in time', () => {
  let nowMs = 0;
  const slow = createRedactor({ nowMs: () => (nowMs += 1) });
  const { value, replaced } = slow.json({ short: 'a word', long: 'word '.repeat(400_000), many: ['one', 'two'] });
  expect(value).toEqual({ short: 'a word', long: 'word '.repeat(400_000), many: ['one', 'two'] });
  expect(replaced).toEqual(new Map());
  let stepMs = 1;
  const stalled = createRedactor({ nowMs: () => (nowMs += stepMs) });
  stepMs = 100;
  expect(stalled.text(`token ${'x'.repeat(5_000)}`)).toEqual({
    value: '[removed: checking for secrets took too long]',
    replaced: new Map([['unscanned', 1]]),
  });
});
