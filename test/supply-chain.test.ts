import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

it('L2: the lock file uses only the public registry, and every package has a digest', () => {
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

it('L3: no package, bundled ones included, has a known severe vulnerability', ({ skip }) => {
  // New advisories must not break unrelated changes, so this test only runs before a release.
  skip(process.env.TEST_REGISTRY !== '1', 'set TEST_REGISTRY=1 to ask the registry');
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = spawnSync('npm', ['audit', '--json', '--audit=true'], { cwd, encoding: 'utf8' });
  const { metadata } = JSON.parse(stdout) as { metadata: { vulnerabilities: Record<string, number> } };
  expect(metadata.vulnerabilities).toMatchObject({ high: 0, critical: 0 });
});

it('L5: updates are proposed a week after their release at the earliest', () => {
  const settings = readFileSync(new URL('../.github/dependabot.yml', import.meta.url), 'utf8');
  const [npm = ''] = settings.split(/^ {2}- /m).filter((part) => part.startsWith('package-ecosystem: npm'));
  const [, cooldown = ''] = /^ {4}cooldown:\n((?: {6}.*\n)+)/m.exec(npm) ?? [];
  const lines = [...cooldown.matchAll(/^ {6}([\w-]+):(.*)$/gm)].map(([, name = '', value]) => ({ name, value }));
  expect(lines.map(({ name }) => name)).toContain('default-days');
  // No shorter delay for some versions and no list of exceptions.
  expect(lines.filter(({ name, value }) => !name.endsWith('-days') || !(Number(value) >= 7))).toEqual([]);
});
