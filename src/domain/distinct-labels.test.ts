import { expect, test } from 'vitest';
import { distinctLabels } from './distinct-labels.ts';

test('names are followed by their place only where several keys have them', () => {
  const named = [
    { key: 'a', label: 'shop' },
    { key: 'b', label: 'shop' },
    { key: 'a', label: 'shop' },
    { key: 'c', label: 'cli' },
  ];
  expect(Object.fromEntries(distinctLabels(named, (key) => `/${key}`))).toEqual({
    a: 'shop (/a)',
    b: 'shop (/b)',
    c: 'cli',
  });
});
