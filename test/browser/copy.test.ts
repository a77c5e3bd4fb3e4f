import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTalk, text, toolUse } from '../support/claude-home.ts';
import { until } from '../support/until.ts';
import { type OpenedSessions, openSessions } from './support/open-sessions.ts';
import type { PageServer } from './support/page-server.ts';
import { useBrowser } from './support/suite.ts';

const ID = 'cccccccc-2222-4333-8444-555555555555';
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const usage = { input: 3, output: 40 };
const suite = useBrowser();
let opened: OpenedSessions;
let server: PageServer;

function writeHome(claudeHome: string): void {
  const talk = createTalk(ID);
  const context = { type: 'hook_success', hookName: 'PreToolUse', hookEvent: 'PreToolUse', content: 'the tide is low' };
  const { message: _message, ...line } = talk.user('');
  const lines = [
    talk.user(`Deploy with the token ${SECRET}, please.`),
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'deploy --now' }), usage),
    talk.result('toolu_1', 'deployed the harbour'),
    { ...line, type: 'attachment', attachment: context },
    talk.assistant('msg_2', text('Deployed to the harbour.'), usage),
    talk.user('And the pier?'),
    talk.assistant('msg_3', text('The pier is next.'), usage),
    talk.user('Thanks, that is all.'),
    talk.assistant('msg_4', text('Goodbye.'), usage),
  ];
  const folder = join(claudeHome, 'projects/-home-ada-shop');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

beforeAll(async () => {
  opened = await openSessions(writeHome);
  server = await suite.serve(opened.app);
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

async function openPage(): Promise<Page> {
  const { page } = await suite.visit(server, { path: `/session/${ID}` });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('Deployed to the harbour.').waitFor();
  return page;
}

/** Empties the clipboard, runs `act` and returns the copied text. */
async function copied(page: Page, act: () => Promise<void>): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText('')`);
  await act();
  return until(async () => {
    const found = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(found).not.toBe('');
    return found;
  });
}

test('copies a message, a turn and selected turns as Markdown, with secrets replaced on request', async () => {
  const page = await openPage();
  const row = page.getByRole('article').filter({ hasText: 'Deploy with the token' }).first();
  await row.hover();
  const message = await copied(page, () => row.getByRole('button', { name: 'Copy as Markdown' }).click());
  expect(message).toContain(SECRET);
  expect(message).not.toContain('Deployed to the harbour.');

  await row.getByRole('button', { name: 'Details and raw line' }).click();
  const details = page.getByRole('complementary', { name: 'Details of the item' });
  const turn = details.locator('p', { hasText: 'Turn' });
  const whole = await copied(page, () => turn.getByRole('button', { name: 'Copy', exact: true }).click());
  expect(whole).toContain('deploy --now');
  expect(whole).toContain('Deployed to the harbour.');
  expect(whole).not.toContain('The pier is next.');
  const clean = await copied(page, () => turn.getByRole('button', { name: 'Copy without secrets' }).click());
  expect(clean).toContain('Deployed to the harbour.');
  expect(clean).not.toContain(SECRET);
  await page.keyboard.press('Escape');

  const chapters = page.getByRole('navigation', { name: 'Prompts' }).getByRole('button');
  await chapters.nth(0).click({ modifiers: ['ControlOrMeta'] });
  await chapters.nth(1).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('toolbar', { name: 'Selected turns' });
  await until(async () => expect(await bar.locator('output').textContent()).toBe('2 turns selected'));
  const selected = await copied(page, () => bar.getByRole('button', { name: 'Copy without secrets' }).click());
  expect(selected.indexOf('Deployed to the harbour.')).toBeGreaterThan(0);
  expect(selected.indexOf('The pier is next.')).toBeGreaterThan(selected.indexOf('Deployed to the harbour.'));
  expect(selected).not.toContain('Goodbye.');
  expect(selected).not.toContain(SECRET);
  expect(await copied(page, () => bar.getByRole('button', { name: 'Copy as it is' }).click())).toContain(SECRET);
  await page.keyboard.press('Escape');
  await until(async () => expect(await bar.count()).toBe(0));
});

test('keys select a turn and show the details of a row, including injected text', async () => {
  const page = await openPage();
  await page.keyboard.press('n');
  await page.keyboard.press('x');
  await until(async () => expect(await page.locator('[role=article][data-selected]').count()).toBeGreaterThan(1));
  await page.keyboard.press('i');
  const details = page.getByRole('complementary', { name: 'Details of the item' });
  await details.getByText('Raw line', { exact: true }).first().waitFor();
  await page.keyboard.press('Escape');
  await until(async () => expect(await details.count()).toBe(0));

  await page.keyboard.press('3');
  const context = page
    .getByRole('article')
    .filter({ has: page.locator('[data-item=context]') })
    .first();
  await context.getByRole('button').first().click();
  const added = context.getByRole('toolbar').first().locator('..');
  await added.hover();
  const link = await copied(page, () => added.getByRole('button', { name: 'Copy link' }).click());
  expect(link).toContain(`/session/${ID}?at=`);
  await added.getByRole('button', { name: 'Details and raw line' }).click();
  await details.waitFor();
});

const MARKS = `[...(CSS.highlights.get('found') ?? [])].map((range) => range.toString())`;

test('marks matches in every item that shows them', async () => {
  const page = await openPage();
  await page.keyboard.press('f');
  await page.getByRole('searchbox').fill('pier');
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.evaluate(MARKS)).toEqual(['pier', 'pier']));
  await page.keyboard.press('Escape');
  await until(async () => expect(await page.evaluate(MARKS)).toEqual([]));
});
