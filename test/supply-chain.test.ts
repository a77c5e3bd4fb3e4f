import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

it('L2: the lock file names no foreign registry, and every package has a digest', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const wrong = Object.entries(packages)
    .filter(([path]) => path !== '')
    .filter(([, { resolved = 'https://registry.npmjs.org/', integrity = '' }]) => {
      return !resolved.startsWith('https://registry.npmjs.org/') || !/^sha512-[\w+/]{86}==$/.test(integrity);
    });
  expect(wrong).toEqual([]);
});
