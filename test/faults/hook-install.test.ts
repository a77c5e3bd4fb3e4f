import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHooks } from '../../src/capture/hook/edit-hooks.ts';
import { HOOK_EVENTS } from '../../src/capture/hook/hook-events.ts';
import { hookCommand } from '../../src/capture/hook/hook-script.ts';
import { installHooks, planHooks, readHookStatus, uninstallHooks } from '../../src/capture/hook/install.ts';
import { tryHook } from '../../src/capture/hook/try-hook.ts';
import { openSpool } from '../../src/capture/spool/spool.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { isRoot, whyNot } from '../support/hook-home.ts';
import { childEnv, crowd } from '../support/processes.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const INSTALL = join(import.meta.dirname, '../support/install-hooks.ts');
const LAUNCHER = { node: process.execPath, program: process.execPath };
const EVENTS = HOOK_EVENTS.map(({ event }) => event).toSorted();

let root = '';
let settings = '';
let place = { home: '', claudeHome: '', clock: systemClock };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-install-'));
  place = { home: join(root, 'data'), claudeHome: join(root, 'claude'), clock: systemClock };
  settings = join(place.claudeHome, 'settings.json');
  mkdirSync(place.claudeHome);
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 }));

const eventsIn = (text: string) =>
  findHooks(text)
    .map(({ event }) => event)
    .sort();

/** JSON without comments and trailing commas, implemented independently of the code under test. */
function plainJson(text: string): unknown {
  const tokens = text.replace(/^\ufeff/, '').match(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g) ?? [];
  const kept = tokens.filter((token) => !/^\/[/*]/.test(token)).join('');
  const strings: string[] = [];
  const bare = kept.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) => `@${strings.push(string) - 1}@`);
  return JSON.parse(
    bare.replaceAll(/,(\s*[}\]])/g, '$1').replaceAll(/@(\d+)@/g, (_, n: string) => strings[Number(n)] ?? ''),
  );
}

const FOREIGN = '{ "type": "command", "command": "notify-send done" }';

/** Settings files, named after what is special about them. */
const CORPUS: Readonly<Record<string, string>> = {
  'an empty object': '{}\n',
  'an empty object without line end': '{}',
  'an empty object with room': '{ \n }\n',
  'one key': '{\n  "model": "opus"\n}\n',
  'one key on one line': '{"model":"opus"}',
  'one key on one line with spaces': '{ "model": "opus", "verbose": true }\n',
  'four spaces': '{\n    "model": "opus",\n    "env": {\n        "A": "1"\n    }\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"env": {}\n}\n',
  'Windows line ends': '{\r\n  "model": "opus",\r\n  "env": { "A": "1" }\r\n}\r\n',
  'a byte order mark': '\ufeff{\n  "model": "opus"\n}\n',
  'no line end at the end': '{\n  "model": "opus"\n}',
  'many line ends at the end': '{\n  "model": "opus"\n}\n\n\n',
  'a remark at the top': '// mine\n{\n  "model": "opus"\n}\n',
  'remarks everywhere':
    '/* a */ {\n  // b\n  "model": /* c */ "opus", // d\n  /* e */ "env": {} // f\n  // g\n} // h\n',
  'a remark behind the last value': '{\n  "model": "opus" // the good one\n}\n',
  'a remark in an empty object': '{\n  // nothing yet\n}\n',
  'remarks that look like JSON': '{\n  // "hooks": {\n  "model": "opus"\n  /* "hooks": {} */\n}\n',
  'strings that look like remarks': '{\n  "url": "https://example.com/*no*/",\n  "b": "// no"\n}\n',
  'a trailing comma': '{\n  "model": "opus",\n}\n',
  'trailing commas and remarks': '{\n  "env": { "A": "1", }, // one\n  "list": [1, 2, ], // two\n}\n',
  'empty hooks': '{\n  "hooks": {}\n}\n',
  'hooks with an empty list': '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
  'foreign hooks of other events': `{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [${FOREIGN}]\n      }\n    ]\n  }\n}\n`,
  'foreign hooks of our events': `{\n  "hooks": {\n    "Stop": [{ "hooks": [${FOREIGN}] }],\n    "SessionEnd": [\n      { "matcher": "*", "hooks": [${FOREIGN}, ${FOREIGN}] }\n    ]\n  },\n  "model": "opus"\n}\n`,
  'foreign hooks on one line': `{"hooks":{"Stop":[{"hooks":[${FOREIGN}]}]}}`,
  'hooks of a newer form':
    '{\n  "hooks": {\n    "Stop": [{ "if": 1, "hooks": [{ "type": "http", "url": "x" }] }, null, 7],\n    "FutureEvent": { "a": 1 }\n  }\n}\n',
  'keys we do not know, numbers that JavaScript cannot hold':
    '{\n  "id": 12345678901234567890,\n  "big": 1e400,\n  "zero": -0.0\n}\n',
  'the same key twice': '{\n  "model": "a",\n  "model": "b",\n  "hooks": {},\n  "hooks": { "Stop": [] }\n}\n',
  'keys that are traps': '{\n  "__proto__": { "x": 1 },\n  "constructor": 1,\n  "hooks": { "__proto__": [] }\n}\n',
  'escapes and other scripts': '{\n  "na\\u006de": "\\ud83d\\ude00 日本語 \\u0000 \\/",\n  "ключ": ""\n}\n',
  'commas first': '{ "model": "opus"\n, "env": {}\n}\n',
  'hooks first': `{\n  "hooks": { "Stop": [{ "hooks": [${FOREIGN}] }] },\n  "model": "opus"\n}\n`,
};

/** These cannot be restored byte for byte, since they differ only in white space or a comma. */
const ONLY_SAME_MEANING = ['an empty object with room'];

describe('A14: existing settings', () => {
  it.each(Object.entries(CORPUS))('%s: install, a second install and uninstall lose nothing', (name, text) => {
    writeFileSync(settings, text);
    expect(installHooks(place, LAUNCHER, '2.1.325').changed).toBe(true);
    const installed = readFileSync(settings, 'utf8');
    expect(eventsIn(installed.replace(/^\ufeff/, ''))).toEqual(EVENTS);
    for (const remark of text.match(/\/\/ \w.*|\/\*.*?\*\//g) ?? []) expect(installed).toContain(remark.trimEnd());
    expect(installHooks(place, LAUNCHER, '2.1.325').changed).toBe(false);
    expect(readFileSync(settings, 'utf8')).toBe(installed);
    expect(uninstallHooks(place).changed).toBe(true);
    const after = readFileSync(settings, 'utf8');
    expect(plainJson(after)).toEqual(plainJson(text));
    if (!ONLY_SAME_MEANING.includes(name)) expect(after).toBe(text);
    expect(uninstallHooks(place).changed).toBe(false);
    expect(readdirSync(place.claudeHome)).toEqual(['settings.json']);
  });

  it('missing settings are created and removed again', () => {
    rmSync(place.claudeHome, { recursive: true });
    installHooks(place, LAUNCHER, '2.1.325');
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    expect(lstatSync(settings).mode & 0o777).toBe(0o600);
    uninstallHooks(place);
    expect(existsSync(settings)).toBe(false);
  });

  it('an empty file is filled', () => {
    writeFileSync(settings, '\n');
    installHooks(place, LAUNCHER, '2.1.325');
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    uninstallHooks(place);
    expect(plainJson(readFileSync(settings, 'utf8'))).toEqual({});
  });

  it.each([
    ['nonsense', Buffer.from('not json'), /is invalid in line 1: a value is missing/],
    ['half a file', Buffer.from('{\n  "model": "op'), /is invalid in line 2: a value is missing/],
    ['a merge conflict', Buffer.from('{\n<<<<<<< HEAD\n}'), /is invalid in line 2: a value is missing/],
    ['a list', Buffer.from('[]'), /not a JSON object/],
    ['hooks that are none', Buffer.from('{"hooks": "all"}'), /"hooks" is not an object/],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /not UTF-8/],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
    ['forty megabytes', Buffer.from(`{"a":"${'x'.repeat(40_000_000)}"}`), /larger than/],
  ])('%s is rejected with a message and not changed', (_, bytes, why) => {
    writeFileSync(settings, bytes);
    const refusal = expect.objectContaining({ code: 'bad_config', message: expect.stringMatching(why) });
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(refusal);
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/Nothing was changed/);
    expect(readFileSync(settings).equals(bytes)).toBe(true);
    expect(readdirSync(place.claudeHome)).toEqual(['settings.json']);
  });

  it('a folder, pipe or link loop in place of the file is rejected', async () => {
    mkdirSync(settings);
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/not a regular file/);
    rmSync(settings, { recursive: true });
    await run('mkfifo', [settings]);
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/not a regular file/);
    rmSync(settings);
    symlinkSync('settings.json', settings);
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/circular link/);
  });

  it('a read-only file is rejected for changes but can be inspected', () => {
    writeFileSync(settings, '{}');
    chmodSync(settings, 0o444);
    expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/read-only/);
    expect(readHookStatus(place, '2.1.325').installed).toBe(false);
  });

  it('a link is followed to its target, which keeps its mode', () => {
    const dotfiles = join(root, 'dotfiles');
    mkdirSync(dotfiles);
    writeFileSync(join(dotfiles, 'claude.json'), '{\n  "model": "opus"\n}\n');
    chmodSync(join(dotfiles, 'claude.json'), 0o640);
    symlinkSync('claude.json', join(dotfiles, 'link'));
    symlinkSync(join(dotfiles, 'link'), settings);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(readlinkSync(settings)).toBe(join(dotfiles, 'link'));
    expect(readlinkSync(join(dotfiles, 'link'))).toBe('claude.json');
    expect(eventsIn(readFileSync(join(dotfiles, 'claude.json'), 'utf8'))).toEqual(EVENTS);
    expect(lstatSync(join(dotfiles, 'claude.json')).mode & 0o777).toBe(0o640);
    uninstallHooks(place);
    expect(readFileSync(join(dotfiles, 'claude.json'), 'utf8')).toBe('{\n  "model": "opus"\n}\n');
  });

  it('a link to a missing file creates that file', () => {
    symlinkSync(join(root, 'later.json'), settings);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(eventsIn(readFileSync(join(root, 'later.json'), 'utf8'))).toEqual(EVENTS);
  });

  it('root keeps the owner of the file', ({ skip }) => {
    skip(!isRoot, 'only root can write for others');
    writeFileSync(settings, '{}');
    const { uid, gid } = { uid: 65_534, gid: 65_534 };
    chownSync(settings, uid, gid);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(lstatSync(settings)).toMatchObject({ uid, gid });
  });

  it('a full or read-only disk changes nothing', async ({ skip }) => {
    const text = `{"filling":"${'x'.repeat(20_000)}"}`;
    const refused = await whyNot('mount', '-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', place.claudeHome);
    if (refused !== null) {
      writeFileSync(settings, text);
      chmodSync(place.claudeHome, 0o500);
      expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/permission denied/);
      chmodSync(place.claudeHome, 0o700);
      skip(`tested with a folder that cannot be written instead of a full disk: ${refused}`);
    }
    try {
      writeFileSync(settings, text);
      expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/the disk is full/);
      expect(readFileSync(settings, 'utf8')).toBe(text);
      expect(readdirSync(place.claudeHome)).toEqual(['settings.json']);
      await run('mount', ['-o', 'remount,ro', place.claudeHome]);
      expect(() => installHooks(place, LAUNCHER, '2.1.325')).toThrow(/the file system is read-only/);
    } finally {
      await run('umount', [place.claudeHome]);
    }
  });

  it('kill -9 at each operation on the settings leaves them complete', async ({ skip }) => {
    const text = CORPUS['remarks everywhere'] ?? '';
    writeFileSync(settings, text);
    const refused = await whyNot('strace', '-f', 'true');
    skip(refused !== null, `strace is needed to kill at a system call: ${refused}`);
    for (const calls of ['write,pwrite64,writev', 'rename,renameat,renameat2', 'ftruncate']) {
      const words = ['-f', '-qq', '-o', '/dev/null', '-P', settings, '-e', `inject=${calls}:signal=SIGKILL:when=1`];
      await whyNot('strace', ...words, process.execPath, INSTALL, place.home, place.claudeHome);
      expect([0, EVENTS.length], calls).toContain(eventsIn(readFileSync(settings, 'utf8')).length);
    }
    uninstallHooks(place);
    expect(readFileSync(settings, 'utf8')).toBe(text);
  });

  it('kill -9 at any time leaves complete settings', async () => {
    const text = CORPUS['foreign hooks of our events'] ?? '';
    writeFileSync(settings, text);
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = spawn(process.execPath, [INSTALL, place.home, place.claudeHome, 'endless'], {
        env: childEnv(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let dots = 0;
      child.stdout.on('data', (piece: Buffer) => {
        dots += piece.length;
        if (dots >= kill) child.kill('SIGKILL');
      });
      await once(child, 'close');
      expect([0, EVENTS.length]).toContain(eventsIn(readFileSync(settings, 'utf8')).length);
    }
    for (const name of readdirSync(place.claudeHome)) utimesSync(join(place.claudeHome, name), 1, 1);
    installHooks(place, LAUNCHER, '2.1.325');
    uninstallHooks(place);
    expect(readFileSync(settings, 'utf8')).toBe(text);
    expect(readdirSync(place.claudeHome)).toEqual(['settings.json']);
  });
});

const KILLS = size('INSTALL_KILLS', 4);

describe('A15: concurrent installations', () => {
  const INSTALLS = crowd(10);

  it('many installations add one entry per event', async () => {
    writeFileSync(settings, CORPUS['remarks everywhere'] ?? '');
    const installs = Array.from({ length: INSTALLS }, () =>
      run(process.execPath, [INSTALL, place.home, place.claudeHome], { env: childEnv() }),
    );
    await Promise.all(installs);
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    uninstallHooks(place);
    expect(readFileSync(settings, 'utf8')).toBe(CORPUS['remarks everywhere']);
  });

  it('many installations add one entry per event to missing settings', async () => {
    const installs = Array.from({ length: INSTALLS }, () =>
      run(process.execPath, [INSTALL, place.home, place.claudeHome], { env: childEnv() }),
    );
    await Promise.all(installs);
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    expect(readdirSync(place.claudeHome)).toEqual(['settings.json']);
  });

  it('a concurrent change by another program is kept', () => {
    writeFileSync(settings, '{}\n');
    let isFirst = true;
    // The clock is read between reading and replacing: the moment at which the other program writes.
    const now = () => {
      if (isFirst) writeFileSync(settings, '{\n  "model": "changed meanwhile"\n}\n');
      isFirst = false;
      return new Date();
    };
    const busy = join(place.claudeHome, '.settings.json.fuel-code-x.tmp');
    writeFileSync(busy, '');
    installHooks({ ...place, clock: { ...systemClock, now } }, LAUNCHER, '2.1.325');
    const text = readFileSync(settings, 'utf8');
    expect(plainJson(text)).toMatchObject({ model: 'changed meanwhile' });
    expect(eventsIn(text)).toEqual(EVENTS);
  });
});

describe('status and test of the hooks', () => {
  it('report missing, outdated and disabled hooks', () => {
    expect(readHookStatus(place, '2.1.325')).toMatchObject({
      installed: false,
      script: 'missing',
      last_fired_at: null,
    });
    installHooks(place, LAUNCHER, '2.1.325');
    expect(readHookStatus(place, '2.1.325')).toMatchObject({
      installed: true,
      script: 'current',
      launcher: 'ok',
      worker_pid: null,
    });
    writeFileSync(join(place.home, 'hooks/hook.sh'), '# old');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(settings, text.replace('"timeout": 5', '"timeout": 9').replace('{', '{ "disableAllHooks": true,'));
    const status = readHookStatus(place, '2.1.325');
    expect(status).toMatchObject({ installed: false, script: 'outdated', disabled: true });
    expect(status.events.filter(({ state }) => state === 'outdated')).toHaveLength(1);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(readHookStatus(place, '2.1.325')).toMatchObject({ installed: true, script: 'current' });
  });

  it('report events that the client supports and an older installation lacks', () => {
    installHooks(place, LAUNCHER, null);
    expect(readHookStatus(place, null)).toMatchObject({ installed: true });
    const status = readHookStatus(place, '2.1.325');
    expect(status).toMatchObject({ installed: false, client_version: '2.1.325' });
    expect(status.events.filter(({ state }) => state === 'missing').map(({ event }) => event)).toEqual([
      'StopFailure',
      'SubagentStart',
    ]);
  });

  it('report entries of an earlier version for events that are no longer used, and installing removes them', () => {
    installHooks(place, LAUNCHER, '2.1.325');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(settings, text.replace('"SubagentStart"', '"PreCompact"'));
    const { installed, events } = readHookStatus(place, null);
    expect([installed, events.at(-1)]).toEqual([false, { event: 'PreCompact', state: 'outdated' }]);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    expect(readHookStatus(place, '2.1.325')).toMatchObject({ installed: true });
  });

  it('a dry run changes nothing', () => {
    expect(planHooks(place, '2.1.325')).toMatchObject({ changed: true, settings_path: settings });
    expect([existsSync(settings), existsSync(place.home)]).toEqual([false, false]);
    installHooks(place, LAUNCHER, '2.1.325');
    expect(planHooks(place, '2.1.325')).toMatchObject({ changed: false });
  });

  it('the test runs the installed command, finds its payload, and leaves nothing behind', async () => {
    await expect(tryHook(place)).rejects.toMatchObject({ code: 'not_found' });
    installHooks(place, LAUNCHER, '2.1.325');
    expect(await tryHook(place)).toMatchObject({ exit_code: 0, output: '', arrived: true });
    expect(openSpool(place.home, systemClock).entries()).toEqual([]);
    await until(() => expect(readHookStatus(place, '2.1.325').last_fired_at).not.toBeNull());
  });

  it('the test says so when the hook does not work', async () => {
    installHooks(place, LAUNCHER, '2.1.325');
    writeFileSync(join(place.home, 'hooks/hook.sh'), 'exit 0');
    expect(await tryHook(place)).toMatchObject({ exit_code: 0, arrived: false });
  });

  it('installing for another data folder replaces the entries', () => {
    installHooks(place, LAUNCHER, '2.1.325');
    const other = { ...place, home: join(root, 'other') };
    installHooks(other, LAUNCHER, '2.1.325');
    expect(eventsIn(readFileSync(settings, 'utf8'))).toEqual(EVENTS);
    expect(readHookStatus(other, '2.1.325').installed).toBe(true);
    expect(readHookStatus(place, '2.1.325').installed).toBe(false);
  });

  it('the manual names every event and the command line', () => {
    const manual = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
    for (const { event, matcher } of HOOK_EVENTS) {
      expect(manual).toContain(`\`${event}\``);
      for (const tool of matcher?.split('|') ?? []) expect(manual).toContain(`\`${tool}\``);
    }
    expect(manual).toContain(hookCommand('/home/ada/.fuel-code/hooks/hook.sh'));
  });

  it('a path with a line break is rejected', () => {
    expect(() => installHooks(place, { ...LAUNCHER, program: '/a\nb' }, '2.1.325')).toThrow(/line break/);
  });
});
