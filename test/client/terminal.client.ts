import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionDetail, SessionRow } from '../../src/api/sessions.ts';
import { type Bench, createLab, expectBilled, expectGivenBack, isBefore, until } from './lab.ts';
import { type Script, say } from './model.ts';
import type { Terminal } from './terminal.ts';

const SCRIPT: Script = [
  ['apples', [say('Some apples.')]],
  ['pears', [say('Some pears.')]],
  ['plums', [say('Some plums.')]],
];

async function answered(lab: Bench, sessionId: string, words: string): Promise<void> {
  await until(() => expect(lab.transcript(sessionId)).toContain(words));
}

/** A command that switches to another session: input typed before the switch is lost. */
async function moveOn(lab: Bench, terminal: Terminal, command: string, from: string): Promise<void> {
  await terminal.type(command);
  if (isBefore('2.1.20')) return terminal.shown('(no content)');
  await until(() => {
    // Old clients only record their initial state there. They queue input that is typed too early.
    if (isBefore('2.1.200')) return expect(typedIn(lab)).toContain(command);
    expect(openSessions(lab)).toEqual([expect.not.stringMatching(from)]);
  });
}

function typedIn({ claudeHome }: Bench): string[] {
  const history = readFileSync(join(claudeHome, 'history.jsonl'), 'utf8').trim().split('\n');
  return history.map((line) => (JSON.parse(line) as { display: string }).display);
}

function openSessions({ claudeHome }: Bench): string[] {
  const folder = join(claudeHome, 'sessions');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { sessionId: string }).sessionId);
}

/** The only new session whose transcript contains this text. */
async function newSession(lab: Bench, words: string, known: readonly string[]): Promise<string> {
  let found: string[] = [];
  await until(() => {
    found = transcriptsOf(lab).filter((id) => !known.includes(id) && lab.transcript(id).includes(words));
    expect(found).toHaveLength(1);
  });
  return found[0] as string;
}

function transcriptsOf({ claudeHome }: Bench): string[] {
  const paths = readdirSync(join(claudeHome, 'projects'), { recursive: true, encoding: 'utf8' });
  return paths.flatMap((path) => /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1] ?? []);
}

/** Every session with its origin, and the tokens of all of them counted once. */
async function expectLinks(lab: Bench, wanted: Readonly<Record<string, readonly object[]>>): Promise<void> {
  expect((await lab.fuelCode('backfill')).code).toBe(0);
  const { sessions } = await lab.ask<{ sessions: SessionRow[] }>('sessions');
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(Object.keys(wanted).toSorted());
  for (const [id, links] of Object.entries(wanted)) {
    const { metadata } = await lab.ask<SessionDetail>('session', id);
    expect((metadata as { readonly began_from?: unknown }).began_from, id).toEqual(links);
    await expectGivenBack(lab, id);
  }
  await expectBilled(lab);
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.type('/exit');
  expect(await terminal.left()).toBe(0);
}

describe.each([{ hooks: true }, { hooks: false }])('Claude Code in a terminal (hooks: $hooks)', ({ hooks }) => {
  it('starts a new session with /clear', async () => {
    await using lab = await createLab(SCRIPT, { hooks });
    const first = randomUUID();
    await using terminal = lab.open('--session-id', first, 'Count the apples');
    await answered(lab, first, 'Some apples.');
    await moveOn(lab, terminal, '/clear', first);
    await terminal.type('And the pears');
    const second = await newSession(lab, 'Some pears.', [first]);
    await leave(terminal);
    await expectLinks(lab, { [first]: [], [second]: [{ kind: 'cleared', session_id: first }] });
  });

  it('branches a session', async (context) => {
    if (isBefore('2.1.77')) context.skip('This client has no /branch.');
    await using lab = await createLab(SCRIPT, { hooks });
    const first = randomUUID();
    await using terminal = lab.open('--session-id', first, 'Count the apples');
    await answered(lab, first, 'Some apples.');
    await moveOn(lab, terminal, '/branch', first);
    await terminal.type('And the pears');
    const second = await newSession(lab, 'Some pears.', [first]);
    await leave(terminal);
    await expectLinks(lab, { [first]: [], [second]: [{ kind: 'branched', session_id: first }] });
  });

  it('forks a session, and uses /clear in the fork', async () => {
    await using lab = await createLab(SCRIPT, { hooks });
    const first = (await lab.print('Count the apples')).sessionId;
    await using terminal = lab.open('--resume', first, '--fork-session', 'And the pears');
    const fork = await newSession(lab, 'Some pears.', [first]);
    await moveOn(lab, terminal, '/clear', fork);
    await terminal.type('And the plums');
    const third = await newSession(lab, 'Some plums.', [first, fork]);
    await leave(terminal);
    await expectLinks(lab, {
      [first]: [],
      [fork]: [{ kind: 'forked', session_id: first }],
      [third]: [{ kind: 'cleared', session_id: fork }],
    });
  });
});
