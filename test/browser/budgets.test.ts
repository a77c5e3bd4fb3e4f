import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { BudgetStatus } from '../../src/api/budgets.ts';
import { until } from '../support/until.ts';
import { findSerious } from './support/axe.ts';
import { createEmptyCommands } from './support/empty-commands.ts';
import { createMemoryData } from './support/memory-data.ts';
import { createMemoryKeys } from './support/memory-keys.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

const DAY = '2026-11-16';
const SHOP = { id: 'w1', canonical_id: 'git:shop', display_name: 'shop <b>' };

/** A server that remembers budgets. */
async function serveBudgets() {
  const data = createMemoryData({ sessions: [], messages: new Map() });
  const keys = createMemoryKeys();
  let budgets: readonly BudgetStatus[] = [];
  const commands: ReturnType<typeof createEmptyCommands> = {
    ...createEmptyCommands(data),
    ...keys.commands,
    'POST /budgets': async ({ body: { period, amount_usd, workspace_id = null }, query: { zone } }) => {
      const id = `${period} ${workspace_id}`;
      const money = { amount_nanos: amount_usd * 1e9, amount_usd, spent_nanos: 0, spent_usd: 0, left_usd: amount_usd };
      const workspace = workspace_id === null ? null : SHOP.display_name;
      const place = { workspace_key: workspace_id, workspace, first_day: DAY, last_day: DAY };
      const budget = { id, period, ...place, ...money, state: 'within', unpriced_messages: 0 } as const;
      budgets = [...budgets.filter((each) => each.id !== id), budget];
      return { timezone: zone, budgets };
    },
    'DELETE /budgets/:budget_id': async ({ params: { budget_id } }) => {
      budgets = budgets.filter(({ id }) => id !== budget_id);
      return { ok: true };
    },
  };
  const workspaces = [{ ...(await data.queries['GET /workspaces']({ params: {}, body: null, query: { limit: 1 } })) }];
  const queries: typeof data.queries = {
    ...data.queries,
    'GET /budgets': async ({ query: { zone } }) => ({ timezone: zone, budgets }),
    'GET /workspaces': async () => ({ ...workspaces[0], workspaces: [SHOP] }) as never,
  };
  return { server: await serve({ ...data, queries }, { commands, browserKeys: keys.lookup }), list: () => budgets };
}

const rows = async (page: Page) => {
  const texts = await page.getByRole('region', { name: 'Budgets' }).locator('tbody tr').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
};

test.each([360, 1_280])('budgets are added, changed, removed and restored by keyboard at %i px', async (width) => {
  const { server, list } = await serveBudgets();
  const tab = await visit(server, { width, height: 700 });
  const { page } = tab;
  await page.goto(`${server.url}cost`);
  const add = page.getByRole('button', { name: 'Add budget' });
  await add.waitFor();
  await add.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a budget' });
  const amount = dialog.getByLabel('Amount in dollars');
  await until(async () => expect(await amount.evaluate((field) => field.matches(':focus'))).toBe(true));
  expect(await findSerious(page)).toEqual([]);
  await until(async () => expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true));
  await page.keyboard.type('150.5');
  await dialog.getByLabel('Workspace').selectOption({ label: SHOP.display_name });
  await dialog.getByLabel('Period').selectOption('week');
  await amount.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(list()).toMatchObject([{ period: 'week', workspace_key: SHOP.canonical_id, amount_usd: 150.5 }]);
  const left = width < 600 ? '' : ' $150.50 left';
  expect(await rows(page)).toEqual([`This week in ${SHOP.display_name} $0.00 of $150.50 (0%)${left}`]);

  await page.getByRole('button', { name: /^Change the budget/ }).focus();
  await page.keyboard.press('Enter');
  const change = page.getByRole('dialog', { name: `Budget for this week in ${SHOP.display_name}` });
  await change.getByLabel('Amount in dollars').fill('20');
  await page.keyboard.press('Enter');
  await change.waitFor({ state: 'detached' });
  expect(list()).toMatchObject([{ amount_usd: 20 }]);
  expect(await isOverflowing(page)).toBe(false);
  expect(await findSerious(page)).toEqual([]);

  await page.getByRole('button', { name: /^Remove the budget/ }).focus();
  await page.keyboard.press('Enter');
  await until(() => expect(list()).toEqual([]));
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await until(() => expect(list()).toMatchObject([{ period: 'week', amount_usd: 20 }]));
  expectClean(tab, server);
});

test('an invalid amount cannot be saved, and a rejection by the server is shown', async () => {
  const { server, list } = await serveBudgets();
  const { page } = await visit(server, {});
  await page.goto(`${server.url}cost`);
  await page.getByRole('button', { name: 'Add budget' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a budget' });
  const [amount, save] = [dialog.getByLabel('Amount in dollars'), dialog.getByRole('button', { name: 'Save' })];
  for (const wrong of ['0', '-3', '1e12', '']) {
    await amount.fill(wrong);
    expect([wrong, await save.isDisabled()]).toEqual([wrong, true]);
  }
  await page.route('**/api/budgets*', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 503,
          json: { error: { code: 'busy', message: 'Try later.', hint: null, position: null } },
        })
      : route.continue(),
  );
  await amount.fill('5');
  await save.click();
  await dialog.getByRole('alert').filter({ hasText: 'Try later.' }).waitFor();
  expect(list()).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
