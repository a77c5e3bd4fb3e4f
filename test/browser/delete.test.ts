import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { DeletedSession } from '../../src/api/deletions.ts';
import { FuelError } from '../../src/domain/errors.ts';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createEmptyCommands } from './support/empty-commands.ts';
import { createMemoryData } from './support/memory-data.ts';
import { createMemoryKeys } from './support/memory-keys.ts';
import { useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('deleting a session shows what is removed and what is kept, and asks first', async () => {
  const { session, messages } = makeTalk();
  const server = await serve(createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) }));
  const { page } = await visit(server, {});
  await page.goto(`${server.url}session/${TALK_ID}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1 session?' });
  await dialog.getByRole('heading', { name: 'Will be kept' }).waitFor();
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
  await dialog.getByRole('checkbox', { name: /immediately/ }).check();
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('1 session deleted.').waitFor();
  await page.getByRole('grid').waitFor();
});

const OTHER_ID = '99999999-2222-4333-8444-555555555555';
const AT = '2026-11-15T12:00:00.000Z';

/** A server that remembers what is deleted. */
async function serveTwo(deletions: DeletedSession[] = []) {
  const { session, messages } = makeTalk();
  const sessions = [session, { ...session, id: OTHER_ID, title: 'Another session' }];
  const data = createMemoryData({ sessions, messages: new Map([[TALK_ID, messages]]) });
  const keys = createMemoryKeys();
  const restored: string[] = [];
  const commands: ReturnType<typeof createEmptyCommands> = {
    ...createEmptyCommands(data),
    ...keys.commands,
    'DELETE /deletions/:session_id': async ({ params: { session_id } }) => {
      restored.push(session_id);
      deletions.splice(
        deletions.findIndex((each) => each.session_id === session_id),
        1,
      );
      return { session_id };
    },
  };
  const queries = { ...data.queries, 'GET /deletions': async () => ({ deletions }) };
  return { server: await serve({ ...data, queries }, { commands, browserKeys: keys.lookup }), restored };
}

test('several sessions are deleted from the list, and one button restores them', async () => {
  const { server, restored } = await serveTwo();
  const { page } = await visit(server, {});
  await page.getByRole('grid').waitFor();
  for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all()) await box.check({ force: true });
  const bar = page.getByRole('toolbar', { name: 'Selected sessions' });
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 sessions?' });
  await dialog.getByRole('heading', { name: 'Will be kept' }).waitFor();
  // The dialog looks the same as on the session's page, regardless of the selection bar around it.
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  const texts = await dialog
    .getByRole('listitem')
    .evaluateAll((items) => items.map((item) => item.scrollWidth - item.clientWidth));
  expect(Math.max(...texts)).toBeLessThanOrEqual(0);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('2 sessions deleted. Undo until:').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 sessions brought back.').waitFor();
  expect(restored.toSorted()).toEqual([TALK_ID, OTHER_ID].toSorted());
});

test('the list of deleted sessions shows which can be restored', async () => {
  const row = { deleted_at: AT, purge_at: AT, purged_at: null, state: 'waiting' } as const;
  const { server, restored } = await serveTwo([
    { ...row, session_id: TALK_ID },
    { ...row, session_id: OTHER_ID, purged_at: AT, state: 'removed' },
  ]);
  const { page } = await visit(server, {});
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Session, search or command' }).fill('deleted sessions');
  await page.getByRole('option', { name: 'Deleted sessions', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Deleted sessions' });
  await dialog.getByText(/Removed:/).waitFor();
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    'axe.run("dialog").then(({ violations }) => violations.map(({ id }) => id))',
  )) as readonly string[];
  expect(found).toEqual([]);
  await until(async () => expect(await dialog.getByRole('button', { name: /^Undo/ }).count()).toBe(1));
  await dialog.getByRole('button', { name: `Undo the deletion of ${TALK_ID}` }).click();
  await page.getByText('1 session brought back.').waitFor();
  expect(restored).toEqual([TALK_ID]);
  await until(async () => expect(await dialog.getByRole('listitem').count()).toBe(1));
});

test('the address of a deleted session says so, and undoes the deletion while that is possible', async () => {
  const { session, messages } = makeTalk();
  const deletions: DeletedSession[] = [
    { session_id: TALK_ID, deleted_at: AT, purge_at: AT, purged_at: null, state: 'waiting' },
  ];
  const data = createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
  const queries: typeof data.queries = {
    ...data.queries,
    'GET /deletions': async () => ({ deletions }),
    'GET /sessions/:id': async (question) => {
      if (deletions.length > 0) throw new FuelError('gone', `Session ${TALK_ID} was deleted.`);
      return data.queries['GET /sessions/:id'](question);
    },
  };
  const keys = createMemoryKeys();
  const commands: ReturnType<typeof createEmptyCommands> = {
    ...createEmptyCommands(data),
    ...keys.commands,
    'DELETE /deletions/:session_id': async ({ params: { session_id } }) => {
      deletions.pop();
      return { session_id };
    },
  };
  const server = await serve({ ...data, queries }, { commands, browserKeys: keys.lookup });
  const { page } = await visit(server, {});
  await page.goto(`${server.url}session/${TALK_ID}`);
  await page.getByRole('heading', { name: 'This session was deleted' }).waitFor();
  await page.getByText(/Undo until:/).waitFor();
  await page.getByRole('button', { name: `Undo the deletion of ${TALK_ID}` }).click();
  await page.getByRole('heading', { name: 'Fix the ferry timetable' }).waitFor();
  expect(deletions).toEqual([]);
});
