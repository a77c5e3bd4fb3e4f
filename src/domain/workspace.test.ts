import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { isLocalRemote, isStronger, normalizeRemote, workspaceKind } from './workspace.ts';

const idOf = (url: string) => normalizeRemote(url)?.canonicalId ?? null;

const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
const mixedWord = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}$/);
const host = fc.oneof(
  fc.constantFrom('github.com', 'gitlab.com', 'bitbucket.org', 'git.example.org', 'intranet'),
  fc.tuple(word, word).map(([a, b]) => `${a}.${b}`),
);
const path = fc.array(mixedWord, { minLength: 1, maxLength: 4 });
const user = fc.constantFrom('', 'git@', 'ada@', 'ada:secret@', 'x-token:ghp_0123@');

/** Every way to write one repository of a host. */
const spellings = fc.record({ host, path, user }).chain((repo) => {
  const rest = repo.path.join('/');
  const plainUser = repo.user.includes(':') ? '' : repo.user;
  const place = fc.constantFrom(
    `https://${repo.user}${repo.host}/${rest}`,
    `https://${repo.user}${repo.host}:443/${rest}`,
    `http://${repo.user}${repo.host}:80/${rest}`,
    `HTTPS://${repo.host.toUpperCase()}/${rest}`,
    `https://${repo.host}./${rest}?token=abc#x`,
    `ssh://${repo.user}${repo.host}/${rest}`,
    `ssh://git@${repo.host}:22/${rest}`,
    `git+ssh://git@${repo.host}/${rest}`,
    `ssh+git://git@${repo.host}//${rest}`,
    `git://${repo.host}/${rest}`,
    `git://${repo.host}:9418/${rest}`,
    `${plainUser}${repo.host}:${rest}`,
    `git@${repo.host}:/${rest}`,
    `${repo.host}/${rest}`,
  );
  const end = fc.constantFrom('', '.git', '/', '.git/', '//', '.git//');
  const withEnd = fc.tuple(place, end).map(([text, tail]) => (text.includes('?') ? text : text + tail));
  return fc.record({ host: fc.constant(repo.host), rest: fc.constant(rest), urls: fc.tuple(withEnd, withEnd) });
});

/** Strings that look enough like remotes to reach every branch. */
const almostUrls = fc
  .array(
    fc.oneof(
      fc.constantFrom('https://', 'ssh://', 'file:', '//', '/', ':', '@', '.git', '..', '.', '~', '[::1]', '%2F', '%'),
      fc.constantFrom('?', '#', '::', 'C:\\', '\\', 'github.com', 'host', 'dev.azure.com', 'v3', ' ', '\n', ':22', 'İ'),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));
const anyString = fc.oneof(
  almostUrls,
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

describe('a git remote', () => {
  it('has one id in all its spellings', () => {
    fc.assert(
      fc.property(spellings, ({ host, rest, urls }) => {
        const caseless = ['github.com', 'gitlab.com', 'bitbucket.org'].includes(host);
        const wanted = `${host}/${caseless ? rest.toLowerCase() : rest}`;
        for (const url of urls) {
          expect(idOf(url), url).toBe(wanted);
          expect(normalizeRemote(url)?.displayName, url).toBe(rest.split('/').at(-1));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps its id when normalized again', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const once = idOf(text);
        if (once !== null) expect(idOf(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never throws and never returns an empty or unprintable id', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const remote = normalizeRemote(text);
        isLocalRemote(text);
        if (remote === null) return;
        expect(remote.displayName).not.toBe('');
        expect(remote.canonicalId).not.toMatch(/[\u0000-\u001f]/);
        expect(remote.canonicalId.isWellFormed()).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never keeps a user or password', () => {
    const name = fc.stringMatching(/^SECRET[A-Za-z0-9!$&'()*+,;=._~%@-]{0,12}SECRET$/);
    const password = fc.oneof(name, fc.stringMatching(/^SECRET[A-Za-z0-9!$&'()*+,;=._~%/:-]{0,12}SECRET$/));
    const scheme = fc.constantFrom('https', 'http', 'ssh', 'git+ssh', 'ftp', 'codecommit');
    fc.assert(
      fc.property(scheme, name, password, host, path, (way, name, password, place, parts) => {
        const rest = parts.join('/');
        for (const url of [
          `${way}://${name}:${password}@${place}/${rest}.git`,
          `${way}://${name}@${place}/${rest}`,
          `${name}:${password}@${place}:${rest}`,
          `https://${place}/${rest}?access_token=${password}`,
          `https::https://${name}:${password}@${place}/${rest}`,
        ]) {
          const remote = normalizeRemote(url);
          expect(`${remote?.canonicalId} ${remote?.displayName}`, url).not.toContain('SECRET');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['https://git.example.org:8443/team/app.git', 'git.example.org:8443/team/app'],
    ['ssh://git@git.example.org:2222/team/app', 'git.example.org:2222/team/app'],
    ['git@host:2222/app', 'host/2222/app'],
    ['ssh://git@ssh.github.com:443/Ada/Shop.git', 'github.com/ada/shop'],
    ['https://www.github.com/Ada/Shop', 'github.com/ada/shop'],
    ['git@ssh.dev.azure.com:v3/Org/Proj/Repo', 'dev.azure.com/org/proj/repo'],
    ['https://org@dev.azure.com/Org/Proj/_git/Repo', 'dev.azure.com/org/proj/repo'],
    ['https://host/my%20repo', 'host/my repo'],
    ['https://host/100%', 'host/100%'],
    ['ssh://git@[2001:DB8::1]:22/x.git', '[2001:db8::1]/x'],
    ['git@[::1]:x', '[::1]/x'],
    ['ssh://host/~ada/x', 'host/~ada/x'],
    ['host:~ada/x', 'host/~ada/x'],
    ['codecommit://profile@MyRepo', null],
    ['ext::sh -c evil% %S', null],
    ['https://host', null],
    ['https://host/.git', null],
    ['', null],
    ['/srv/git/Shop.git', 'file:/srv/git/Shop'],
    ['file:///srv/git/Shop.git/', 'file:/srv/git/Shop'],
    ['file://localhost/srv/git/Shop', 'file:/srv/git/Shop'],
    ['/home/ada/shop/.git', 'file:/home/ada/shop'],
    ['/home/ada/x/../shop', 'file:/home/ada/shop'],
    ['../shop.git', 'file:../shop'],
    ['C:\\Repos\\Shop.git', 'file:/c:/repos/shop'],
    ['c:/Repos/Shop', 'file:/c:/repos/shop'],
    ['file:///C:/Repos/Shop', 'file:/c:/repos/shop'],
    ['\\\\Server\\Share\\Shop', 'file://server/share/shop'],
  ])('%s is %s', (url, wanted) => {
    expect(idOf(url)).toBe(wanted);
  });

  it('is a local path by the same rule as in git', () => {
    for (const url of ['/a', './a', '../a', 'a/b', 'a/b:c', 'C:\\a', 'file:///a'])
      expect(isLocalRemote(url)).toBe(true);
    for (const url of ['host:a', 'https://h/a', 'ext::x']) expect(isLocalRemote(url)).toBe(false);
  });
});

describe('the kind of a workspace', () => {
  it('follows from its id, even for hosts with unusual names', () => {
    const local = `local:${'a'.repeat(64)}`;
    expect(['_unassociated', 'folder:01J:/home/ada', local, 'github.com/a/b'].map(workspaceKind)).toEqual([
      'none',
      'folder',
      'local',
      'remote',
    ]);
    expect(['folder:2222/x', 'local:2222/x'].map(workspaceKind)).toEqual(['remote', 'remote']);
    expect(isStronger('github.com/a/b', local)).toBe(true);
    expect(isStronger(local, local)).toBe(false);
  });
});
