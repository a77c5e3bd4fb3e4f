import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captured, createLab, expectGivenBack, type Lab, type Line, linesOf } from './lab.ts';
import { type Script, say, tool } from './model.ts';
import { rawLines } from './raw.ts';

const SCRIPT: Script = [
  ['count the apples', [[tool('Bash', { command: 'cat README.md', description: 'Look' })], say('There are some.')]],
  ['ask for too much', [{ status: 400, error: 'That is too much.', times: 9, after: [] }]],
];

/** Types of lines and attachments, without the one line that names every hook that ran. */
function shapeOf(lines: readonly Line[]): string[] {
  return lines
    .filter(({ subtype }) => subtype !== 'stop_hook_summary')
    .map(({ type, subtype, attachment }) => [type, subtype, attachment?.type].filter(Boolean).join(' '));
}

function expectNoTrace(transcript: string): void {
  const lines = linesOf(transcript);
  expect(shapeOf(lines).filter((shape) => shape.includes('hook'))).toEqual([]);
  const summaries = lines.filter(({ subtype }) => subtype === 'stop_hook_summary');
  for (const summary of summaries) expect(summary).toMatchObject({ hookErrors: [], preventedContinuation: false });
}

describe('our hooks', () => {
  it('leave nothing in the transcript but the line that names them', async () => {
    await using plain = await createLab(SCRIPT, { hooks: false });
    await using lab = await createLab(SCRIPT);
    const without = await plain.print('Please count the apples');
    const run = await lab.print('Please count the apples');
    expect(run).toMatchObject({ code: without.code, result: without.result, stderr: without.stderr });
    expectNoTrace(lab.transcript(run.sessionId));
    // How often the client repeats its reminders depends on timing.
    const kinds = new Set(shapeOf(linesOf(lab.transcript(run.sessionId))));
    expect(kinds).toEqual(new Set(shapeOf(linesOf(plain.transcript(without.sessionId)))));
  });

  it('do not change how a failed session ends', async () => {
    await using plain = await createLab(SCRIPT, { hooks: false });
    await using lab = await createLab(SCRIPT);
    const without = await plain.print('Please ask for too much');
    const run = await lab.print('Please ask for too much');
    expect(without.code).toBe(1);
    expect(run).toMatchObject({ code: without.code, result: without.result, stderr: without.stderr });
    expectNoTrace(lab.transcript(run.sessionId));
    await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
  });

  it('print nothing after a compaction', async () => {
    await using plain = await createLab(SCRIPT, { hooks: false });
    await using lab = await createLab(SCRIPT);
    const texts = await Promise.all([plain, lab].map(compactedTexts));
    expect(texts[0]).not.toEqual([]);
    expect(texts[1]).toEqual(texts[0]);
  });

  it.each([
    { what: 'removed', spoil: (lab: Lab) => rmSync(lab.dataHome, { recursive: true }) },
    {
      what: 'without the program that the hook starts',
      spoil: (lab: Lab) =>
        writeFileSync(join(lab.dataHome, 'hooks/env'), '/nonexistent/node\n/nonexistent/fuel-code\n'),
    },
  ])('stay silent when the data folder is $what, and the session is found later', async ({ spoil }) => {
    await using lab = await createLab(SCRIPT);
    spoil(lab);
    await expectQuietAndFound(lab, () => {});
  });

  it('stay silent when the data folder is read-only, and the session is found later', async () => {
    await using lab = await createLab(SCRIPT, { hooks: false });
    using disk = mountDisk(lab);
    expect((await lab.fuelCode('hooks', 'install')).code).toBe(0);
    disk.readOnly(true);
    await expectQuietAndFound(lab, () => disk.readOnly(false));
  });

  it('stay silent when the disk of the data folder is full, and the session is found later', async (context) => {
    await using lab = await createLab(SCRIPT, { hooks: false });
    using disk = mountDisk(lab);
    if (!disk.isMounted) context.skip('A full disk needs a mount, which is not allowed here.');
    expect((await lab.fuelCode('hooks', 'install')).code).toBe(0);
    disk.fill();
    await expectQuietAndFound(lab, () => disk.empty());
  });
});

/** What the client prints for /compact, and also sends to the model. */
async function compactedTexts(lab: Lab): Promise<string[]> {
  const { sessionId } = await lab.print('Please count the apples');
  await lab.print('/compact', { words: ['--resume', sessionId] });
  return rawLines(lab, sessionId)
    .map(({ message }) => message?.content)
    .filter((content) => typeof content === 'string')
    .filter((content) => content.startsWith('<local-command-stdout>'));
}

async function expectQuietAndFound(lab: Lab, mend: () => void): Promise<void> {
  const run = await lab.print('Please count the apples');
  expect(run).toMatchObject({ code: 0, result: 'There are some.', stderr: '' });
  expectNoTrace(lab.transcript(run.sessionId));
  mend();
  // The last hook may have started a worker late; then that worker finds it.
  expect((await lab.fuelCode('worker', '--once')).code).toBe(0);
  await captured(lab, run.sessionId);
  await expectGivenBack(lab, run.sessionId);
}

interface Disk extends Disposable {
  readonly isMounted: boolean;
  readOnly(on: boolean): void;
  fill(): void;
  empty(): void;
}

/** A separate file system for the data folder: root can write to every folder, but not to a read-only mount. */
function mountDisk({ dataHome }: Lab): Disk {
  const mount = (...words: string[]) => execFileSync('mount', [...words, dataHome], { stdio: 'pipe' });
  const ballast = join(dataHome, 'ballast');
  execFileSync('mkdir', ['-p', dataHome]);
  const isMounted = succeeds(() => mount('-t', 'tmpfs', '-o', 'size=64m,mode=700', 'tmpfs'));
  if (!isMounted) {
    console.warn('No mount is allowed here: the read-only folder is one of permissions only, which root ignores.');
  }
  return {
    isMounted,
    readOnly: (on) => {
      if (isMounted) mount('-o', on ? 'remount,ro' : 'remount,rw');
      else chmodSync(dataHome, on ? 0o500 : 0o700);
    },
    fill: () => {
      succeeds(() => execFileSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'], { stdio: 'pipe' }));
      expect(succeeds(() => writeFileSync(join(dataHome, 'more'), 'x'.repeat(65_536)))).toBe(false);
    },
    empty: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      if (isMounted) execFileSync('umount', ['--lazy', dataHome]);
    },
  };
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
