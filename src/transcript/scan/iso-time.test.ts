import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayNumber, dayText, isoMillis } from './iso-time.ts';

const read = (text: string) => isoMillis(Buffer.from(`"${text}"`), 1, 1 + text.length);

test('times in the form of the client are read as Date reads them', () => {
  const anyDate = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(anyDate, (date) => {
      expect(read(date.toISOString())).toBe(date.getTime());
    }),
  );
});

test.each(['2024-02-29T23:59:59.999Z', '2000-03-01T00:00:00.000Z', '2100-02-28T12:00:00.000Z'])('%s', (text) => {
  expect(read(text)).toBe(Date.parse(text));
});

test.each([
  '',
  '2026-01-21',
  '2026-01-21T20:53:24Z',
  '2026-01-21T20:53:24.199+',
  '2026-0x-21T20:53:24.199Z',
  'x'.repeat(24),
])('%j is another form', (text) => {
  expect(read(text)).toBe(Number.NaN);
});

test('days', () => {
  expect(dayText(Date.parse('2026-08-31T23:59:59.999Z'))).toBe('2026-08-31');
  expect(dayText(-1)).toBe('');
  expect(dayNumber(-1)).toBe(-1);
  expect(dayNumber(86_400_000)).toBe(1);
});
