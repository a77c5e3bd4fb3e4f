import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';
import { chars, hex } from './testing/secrets.ts';

it.each([
  ['a prefix that nobody knows', `zyx_${chars(36)}`],
  ['a dash after the prefix', `zyx-${chars(40)}`],
  ['several words in the prefix', `zyx_v1_us_${chars(43)}`],
  ['a short key after a word for keys', `zyx_tok_${chars(20)}`],
  ['a test key', `test_${chars(30)}`],
  ['a short prefix before a number', `zyx_${hex(40)}`],
  ['a prefix in capitals', `ZYX_CI_${chars(36)}`],
  ['a prefix of two words before a number', `zyxw_ack_${hex(40)}`],
  ['a number with a checksum', `zyxw_${hex(32)}_${hex(8)}`],
  ['a long key in lower case', `zyx_${chars(52, 'q7w3m9x2k5v8n1b4z6t0rhjd')}`],
  ['a number of another length', `zy_wx_${hex(30)}`],
  ['two parts after a word', `zyxw.${chars(20)}.${chars(24)}`],
  ['few digits', `zyx_${chars(60, 'aBcDefGHijkLMNopqRSTuvWXyz4C7')}`],
  ['lower case after a word for keys', 'zyx_secret_q7w3m9x2k5v8n1b4z6t0r7'],
])('finds keys of unknown vendors: %s', (_, key) => {
  expect(redact(`I tried ${key} again`)).toBe('I tried [secret:api-key] again');
  expect(redact(`value=${key} status=200`)).toBe('value=[secret:api-key] status=200');
  expect(redact(`@@ -1 +1 @@\n+${key}`)).toBe('@@ -1 +1 @@\n+[secret:api-key]');
});

it.each([
  ['identifiers of calls', `toolu_01${chars(22)} and claude-skill-toolu_01${chars(22)}`],
  ['identifiers of answers', `chatcmpl-${chars(29)} in user_${chars(27)}`],
  ['published keys', `pk_live_${chars(24)}`],
  ['checksums', `sha512-${chars(86)} and cache_${hex(64)}`],
  ['names of files', `index-${chars(30)}.js and assets/chunk-${chars(30)}.css`],
  ['an alphabet', 'useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict'],
  ['names of tests', 'test_withPycharmNonTTYOverride and test-regress-GH-4027 and test-fs-utimes-y2K38'],
  ['names in C', 'sk_X509_LOOKUP_new_null and ossl_DER_w_algorithmIdentifier_ED25519'],
  ['names in code', 'my_component_with_Some_Long_CamelCase2Names and data-test-id-SomeVeryLongComponentName2'],
])('leaves %s alone', (_, text) => {
  expect(redact(text)).toBe(text);
});
