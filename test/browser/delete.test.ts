import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createMemoryData } from './support/memory-data.ts';
import { useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('deleting a session shows what goes and what stays, and asks first', async () => {
  const { session, messages } = makeTalk();
  const server = await serve(createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) }));
  const { page } = await visit(server, {});
  await page.goto(`${server.url}session/${TALK_ID}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1 session?' });
  await dialog.getByRole('heading', { name: 'Stays' }).waitFor();
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    'axe.run("dialog").then(({ violations }) => violations.map(({ id }) => id))',
  )) as readonly string[];
  expect(found).toEqual([]);
  expect(await dialog.getByRole('listitem').allTextContents()).toContain(
    'backups, exported files, and copies on other devices',
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('checkbox', { name: /at once/ }).check();
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('1 session deleted.').waitFor();
  await page.getByRole('grid').waitFor();
});
