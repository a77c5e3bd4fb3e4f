import { expect, test } from 'vitest';
import { makeMessage } from '../../../test/browser/support/make-rows.ts';
import { CHUNK_ORDINALS, Content, PAGE_ORDINALS } from './content.ts';

function createSource() {
  const asked: { readonly after: number; readonly limit: number }[] = [];
  const content = new Content(async (query) => {
    asked.push(query);
    return Array.from({ length: query.limit }, (_, at) => makeMessage({ ordinal: query.after + 1 + at }));
  });
  const settled = async (ordinal: number) => {
    while (content.message(ordinal) === undefined)
      await new Promise<void>((resolve) => {
        const stop = content.subscribe(() => {
          stop();
          resolve();
        });
      });
  };
  return { asked, content, settled };
}

test('neighbours are fetched as a page, a single message as a chunk, and neither twice', async () => {
  const { asked, content, settled } = createSource();
  content.want([3, 17, 31, 4_242]);
  await settled(4_242);
  await settled(31);
  content.want([5, 49, 4_240]);
  expect(asked).toEqual([
    { after: -1, limit: PAGE_ORDINALS },
    { after: 4_239, limit: CHUNK_ORDINALS },
  ]);
  expect(content.message(49)?.ordinal).toBe(49);
});

test('content not seen for long is dropped, visible content never', async () => {
  const { asked, content, settled } = createSource();
  const view = Array.from({ length: 400 }, (_, at) => at * 100);
  content.want(view);
  await Promise.all(view.map(settled));
  expect(view.every((ordinal) => content.message(ordinal) !== undefined)).toBe(true);
  for (let ordinal = 50_005; ordinal < 65_000; ordinal += 100) {
    content.want([ordinal]);
    await settled(ordinal);
  }
  expect(content.message(0)).toBeUndefined();
  const before = asked.length;
  content.want([64_905]);
  expect(asked.length).toBe(before);
});

test('live messages replace loaded ones and do not fill chunks that are not loaded', async () => {
  const { content, settled } = createSource();
  content.want([1]);
  await settled(1);
  content.put([makeMessage({ ordinal: 1, subtype: 'grown' }), makeMessage({ ordinal: 500 })]);
  expect(content.message(1)?.subtype).toBe('grown');
  expect(content.message(500)).toBeUndefined();
});

test('a failed request is reported and tried again when asked', async () => {
  let isBroken = true;
  const content = new Content(async ({ after }) => {
    if (isBroken) throw new Error('The server is unreachable.');
    return [makeMessage({ ordinal: after + 1 })];
  });
  const changed = new Promise<void>((resolve) => content.subscribe(resolve));
  content.want([0]);
  await changed;
  expect(content.error?.message).toBe('The server is unreachable.');
  isBroken = false;
  const again = new Promise<void>((resolve) => content.subscribe(resolve));
  content.want([0]);
  await again;
  expect([content.error, content.message(0)?.ordinal]).toEqual([null, 0]);
});

test('an incomplete chunk is fetched again when the session has grown, and stays readable meanwhile', async () => {
  let count = 3;
  const asked: number[] = [];
  const content = new Content(async ({ after }) => {
    asked.push(after);
    return Array.from({ length: count }, (_, ordinal) => makeMessage({ ordinal }));
  });
  const next = () => new Promise<void>((resolve) => content.subscribe(resolve));
  const first = next();
  content.want([0]);
  await first;
  count = 5;
  const second = next();
  content.grow();
  expect(content.message(2)?.ordinal).toBe(2);
  await second;
  expect([asked.length, content.message(4)?.ordinal]).toEqual([2, 4]);
});
