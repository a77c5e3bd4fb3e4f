import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';
import { createRandom } from './testing/random.ts';

const LINES = 1_000;

describe('J5: values that only resemble secrets', () => {
  const { text } = createRedactor();
  const random = createRandom(7);
  const digest = (kind: string, n: number) => createHash(kind).update(`${n} ${random.int(1e9)}`);
  const hex = (n: number, chars: number) => digest('sha512', n).digest('hex').slice(0, chars);
  const uuid = (n: number) => hex(n, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const base64 = (n: number) => digest('sha512', n).digest('base64');
  const MAKERS: Record<string, (n: number) => string> = {
    'ids of messages': (n) => JSON.stringify({ uuid: uuid(n), parentUuid: uuid(n + 1), sessionId: uuid(n + 2) }),
    'ids of calls': (n) => `toolu_01${hex(n, 22)} msg_01${hex(n, 22)} req_011${hex(n, 21)}`,
    commits: (n) => `${hex(n, 40)} fix: the ferry leaves at ${n}`,
    'digests of files': (n) => `${hex(n, 64)}  src/file-${n}.ts`,
    'a lock file': (n) => `"integrity": "sha512-${base64(n)}",`,
    'images of containers': (n) => `node:24@sha256:${hex(n, 64)}`,
    'signatures of thinking': (n) =>
      JSON.stringify({ type: 'thinking', thinking: 'Hm.', signature: base64(n).repeat(4) }),
    pictures: (n) => JSON.stringify({ type: 'base64', media_type: 'image/png', data: base64(n).repeat(20) }),
    addresses: (n) => `https://example.org/files/${hex(n, 32)}/page?version=${n}`,
  };

  it.each(Object.entries(MAKERS))('%s: changes at most one line in a thousand', (_, make) => {
    const changed = Array.from({ length: LINES }, (_each, n) => make(n)).filter((line) => text(line).value !== line);
    expect(changed.slice(1)).toEqual([]);
  });
});
