import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDemoHome } from '../../src/demo/write-demo-home.ts';
import type { createClaudeHome } from '../support/claude-home.ts';
import { NOW } from '../support/fixed-clock.ts';
import { until } from '../support/until.ts';
import { findSerious } from './support/axe.ts';
import { type ListProgram, openProgram } from './support/list-program.ts';
import { isOverflowing, type PageServer } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';
import { type Watched } from './support/tabs.ts';

/** Screens with the demo sessions: one program, one server and one tab for all tests, in order. */

const { serve, visit } = useBrowser();
const BOOKING = '91d7ab35';
const TIDES = 'c2f3d8e0';
let claude: ReturnType<typeof createClaudeHome>;
let program: ListProgram;
let server: PageServer;
let tab: Watched;
let page: Page;

beforeAll(async () => {
  program = await openProgram((home) => {
    claude = home;
    return writeDemoHome(home.path, NOW);
  });
  server = await serve(program.app, program.deps);
  tab = await visit(server, { width: 1_280, height: 900 });
  page = tab.page;
});

afterAll(async () => {
  // The page must be closed before the database it follows.
  await page?.close();
  await program?.[Symbol.asyncDispose]();
});

async function open(path: string): Promise<void> {
  await page.goto(new URL(path, server.url).href);
}

/** Problems of the screen in the tab: accessibility violations and horizontal overflow. */
async function faultsOf(): Promise<readonly string[]> {
  return [...(await findSerious(page)), ...((await isOverflowing(page)) ? ['too wide'] : [])];
}

async function sessionId(prefix: string): Promise<string> {
  return (await program.app.get('/sessions/:id', { params: { id: prefix } })).id;
}

test('the first start shows what was rescued, until it is dismissed', async () => {
  await open('/');
  const note = page
    .getByRole('status')
    .filter({ hasText: 'sessions' })
    .filter({ has: page.getByLabel('Dismiss') });
  await note.waitFor();
  const { sessions } = await program.app.get('/rescue');
  await until(async () => expect(await note.textContent()).toContain(String(sessions)));
  await page.getByLabel('Dismiss').click();
  await note.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('grid').waitFor();
  expect(await page.getByLabel('Dismiss').count()).toBe(0);
});

test('rows become compact and stay compact', async () => {
  // Headings count as rows too.
  const row = page
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox') })
    .first();
  const height = async () => (await row.boundingBox())?.height ?? 0;
  const roomy = await height();
  await page.getByRole('button', { name: /compact/i }).click();
  await until(async () => expect(await height()).toBeLessThan(roomy));
  await page.reload();
  await page.getByRole('grid').waitFor();
  await until(async () => expect(await height()).toBeLessThan(roomy));
  expect(await faultsOf()).toEqual([]);
});

test('facets are chosen with the keyboard, saved as a view, and the view is renamed', async () => {
  await page.keyboard.press('f');
  const pane = page.getByRole('complementary', { name: 'Filters by value' });
  const value = pane.getByRole('button', { name: /^tea-ledger/ });
  await value.focus();
  await page.keyboard.press('Enter');
  await until(() => expect(decodeURIComponent(page.url())).toContain('workspace:tea-ledger'));
  await pane.getByRole('button', { name: /^tea-ledger/, pressed: true }).waitFor();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name of the view').fill('Tea');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Rename the view Tea' }).click();
  await page.getByLabel('Name of the view').fill('Tea and taxes');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Tea and taxes' }).waitFor();
  expect((await program.app.get('/views')).views).toMatchObject([{ name: 'Tea and taxes', q: 'workspace:tea-ledger' }]);
  expect(await faultsOf()).toEqual([]);
});

test('the context of a session, and what its compaction lost', async () => {
  const id = await sessionId(BOOKING);
  const { compactions } = await program.app.get('/sessions/:id/context', { params: { id } });
  await open(`/session/${id}?view=context&at=${compactions[0]?.ordinal}`);
  await page.getByRole('heading', { name: 'Summary' }).waitFor();
  await page.getByText('Primary Request').waitFor();
  await until(async () => expect(await page.locator('[data-chosen]').count()).toBeGreaterThan(0));
  expect(await faultsOf()).toEqual([]);
});

test('the calls of a session over time', async () => {
  const id = await sessionId(TIDES);
  await open(`/session/${id}?view=waterfall`);
  const { calls } = await program.app.get('/sessions/:id/waterfall', { params: { id } });
  await page.getByRole('group', { name: /calls over time/ }).waitFor();
  const rows = page.getByRole('table', { name: 'Calls by time, the longest' }).getByRole('row');
  await until(async () => expect(await rows.count()).toBe(calls.started_ms.length + 1));
  expect(await faultsOf()).toEqual([]);
});

test('the cost of a session by turn and agent', async () => {
  const id = await sessionId(TIDES);
  await open(`/session/${id}?view=cost`);
  await page.getByRole('region', { name: 'By turn' }).getByText('Explore').first().waitFor();
  expect(await faultsOf()).toEqual([]);
});

test('the timeline has bars, which zooming makes wider', async () => {
  await open('/timeline');
  const bars = page.getByRole('group', { name: 'Timeline' }).locator('a[data-minute]');
  await bars.first().waitFor();
  const width = async () => (await bars.first().boundingBox())?.width ?? 0;
  const before = await width();
  await bars.first().focus();
  await page.keyboard.press('+');
  await until(async () => expect(await width()).toBeGreaterThan(before));
  expect(await faultsOf()).toEqual([]);
});

test('a tool opens its failed calls, each with a link to its position', async () => {
  await open('/tools?days=all');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Bash', exact: true }) });
  await row.getByRole('link', { name: /%\)$/ }).click();
  await page.getByRole('heading', { name: 'Failed Bash calls' }).waitFor();
  const { calls } = await program.app.get('/tool-calls', { query: { name: 'Bash', status: ['error'], limit: 1 } });
  const { command } = calls[0]!.input as { readonly command: string };
  await page.getByText(command).first().waitFor();
  expect(await faultsOf()).toEqual([]);
});

test('a line of the history of a file links to the prompt it comes from', async () => {
  const path = '/home/mira/projects/harbour-ferry/src/fares.ts';
  await open(`/files?path=${encodeURIComponent(path)}`);
  const line = page.locator('a[title^="From the prompt"]').first();
  await line.waitFor();
  await until(async () => expect(await line.getAttribute('title')).toMatch(/^From the prompt “(Children|Add a test)/));
  expect(await faultsOf()).toEqual([]);
  await line.click();
  await page.waitForURL(/\/session\/.*at=\d/);
});

test('the cost of a branch opens its sessions', async () => {
  await open('/cost?days=all');
  await page.getByRole('button', { name: 'harbour-ferry' }).click();
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'booking-v2' }) });
  expect(await faultsOf()).toEqual([]);
  await row.getByRole('link').click();
  await until(() => expect(decodeURIComponent(page.url())).toContain('branch:=booking-v2'));
  await page.getByRole('grid').waitFor();
});

test('health shows what is not archived yet, and which checks need attention', async () => {
  const checks = async () => (await program.app.get('/checkup', { query: {} })).checks;
  const before = (await checks()).filter(({ state }) => state !== 'ok').length;
  claude.write('-w/99999999-0000-4000-8000-000000000009.jsonl', [{ type: 'user', sessionId: '9' }]);
  await open('/health');
  await page.getByText('1 has new content that is not archived yet.').waitFor();
  const found = (await checks()).filter(({ state }) => state !== 'ok');
  expect(found.length).toBeGreaterThan(before);
  // Commands in backticks are shown as code.
  for (const { message } of found) await page.getByText(message.replaceAll('`', '')).first().waitFor();
  expect(await faultsOf()).toEqual([]);
  expectClean(tab, server);
});
