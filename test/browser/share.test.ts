import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBrowserKeys } from '../../src/app/access-keys.ts';
import { createCommands } from '../../src/app/commands.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { loadConfig } from '../../src/config.ts';
import { CANARIES } from '../../src/redact/testing/secrets.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { until } from '../support/until.ts';
import { PAYLOADS } from './support/hostile.ts';
import { startTestServer, type TestServer, TOKEN } from './support/make-app.ts';
import { builtPage, isOverflowing } from './support/page-server.ts';
import { openTab, type Watched, type WatchOptions } from './support/tabs.ts';

/** Contains every payload and every secret, so each share of it takes a while. */
const HOSTILE_ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const ID = 'bbbbbbbb-2222-4333-8444-555555555555';
const usage = { input: 3, output: 40 };

/** The row keeps only the beginning of a longer name, which no longer has the format of a secret. */
const MAX_NAME_CHARS = 200;
const nameOf = (word: string) => (word.length > MAX_NAME_CHARS ? 'Tool' : word);

/** These words in every text field of a transcript. */
function writeTalk(claude: ClaudeHome, id: string, words: readonly string[]): void {
  const talk = createTalk(id);
  const key = id.slice(0, 4);
  const lines = words.flatMap((word, n) => {
    const named = (line: object) => ({ ...line, gitBranch: word, cwd: `/home/ada/${word}` });
    const edit = { file_path: `/home/ada/${word}`, old_string: `a\n${word}`, new_string: word };
    return [
      named(talk.user(`Look at ${word} please`)),
      named(talk.assistant(`${key}_thought_${n}`, { type: 'thinking', thinking: word, signature: 'x' }, usage)),
      named(
        talk.assistant(
          `${key}_call_${n}`,
          toolUse(`toolu_${n}`, nameOf(word), { command: word, [word]: [word] }),
          usage,
          word,
        ),
      ),
      named(talk.result(`toolu_${n}`, word, n % 2 === 0)),
      named(talk.assistant(`${key}_edit_${n}`, toolUse(`edit_${n}`, 'Edit', edit), usage)),
      named(
        talk.assistant(
          `${key}_said_${n}`,
          text(`${word}\n\n- ${word}\n\n| a |\n|---|\n| ${word} |\n\n**${word}**`),
          usage,
        ),
      ),
    ];
  });
  claude.write(`-home-ada-shop/${id}.jsonl`, lines);
}

const SOME = 8;

let server: TestServer;
let app: App;
let client: Client;
let claude: ClaudeHome;
let home = '';
const shots = () => process.env['FUEL_CODE_SHOTS'] ?? home;

beforeAll(async () => {
  claude = createClaudeHome();
  const secrets = CANARIES.map((canary) => canary.text);
  writeTalk(claude, HOSTILE_ID, [...PAYLOADS, ...secrets]);
  writeTalk(claude, ID, [...PAYLOADS.slice(0, SOME), ...secrets.filter((text) => /^ghp_|-----BEGIN/.test(text))]);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-shared-'));
  const { config } = loadConfig({ FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path });
  app = await openApp({ config, clock: fixedClock, log: silentLog });
  await app.importNew();
  const commands = createCommands(app, fixedClock, () => {});
  const browserKeys = createBrowserKeys(app.store.engine, fixedClock);
  server = await startTestServer({ data: app, commands, browserKeys, files: builtPage() });
  client = createClient({ origin: server.url.replace(/\/$/, ''), token: () => TOKEN });
});
afterAll(async () => {
  await server?.close();
  await app?.close();
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

beforeEach(async () => {
  const { shares } = await client.get('/shares');
  for (const { id } of shares) await client.delete('/shares/:share_id', { params: { share_id: id } });
});

async function visit(address: string, options: WatchOptions = {}): Promise<Watched> {
  const tab = await openTab(options);
  await tab.page.goto(address);
  return tab;
}

const OPEN_ALL = `document.querySelectorAll('details').forEach((details) => { details.open = true; })`;
/** Runs in the page: every element and attribute that is not ours. */
const FIND_FOREIGN = `[...document.querySelectorAll('*')].flatMap((element) => {
  const ours = new Set('html head meta title style body header main footer h1 dl div dt dd bdi time section span p pre code strong em ul li blockquote hr table thead tbody tr th td details summary'.split(' '));
  const names = element.localName === 'meta' ? ['charset', 'name', 'content', 'http-equiv'] : ['class', 'dir', 'lang', 'open'];
  const attributes = element.getAttributeNames().filter((name) => !names.includes(name));
  return [...(ours.has(element.localName) ? [] : [element.localName]), ...attributes];
})`;

describe('H20: a shared page in a browser', () => {
  test('runs nothing, fetches nothing and shows no secret, whatever the transcript contains', async () => {
    const { url, redacted } = await client.post('/sessions/:id/shares', { params: { id: HOSTILE_ID }, body: {} });
    for (const { kind } of CANARIES) expect(redacted[kind], kind).toBeGreaterThan(0);
    const tab = await visit(url);
    await tab.page.evaluate(OPEN_ALL);
    expect(await tab.page.evaluate(FIND_FOREIGN)).toEqual([]);
    const found = '[window.hacked ?? null, document.scripts.length, window.origin]';
    expect(await tab.page.evaluate(found)).toEqual([null, 0, 'null']);
    const seen = `${await tab.page.content()}${await tab.page.evaluate('document.body.innerText')}`;
    expect(CANARIES.filter(({ secret }) => seen.includes(secret)).map(({ kind }) => kind)).toEqual([]);
    expect(seen).toContain(`&lt;script&gt;window.hacked=1`);
    expect(tab.requests).toEqual([url]);
    expect(tab.complaints).toEqual([]);
  });

  test('reads like the page: opened by a click, light and dark, on a phone and on paper', async () => {
    const { url } = await client.post('/sessions/:id/shares', { params: { id: ID }, body: {} });
    const papers: unknown[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [390, 1_280]) {
        const { page } = await visit(url, { width, colorScheme });
        const first = page.locator('details.tool').first();
        await first.locator('summary').first().click();
        await until(async () => expect(await first.evaluate((details) => details.hasAttribute('open'))).toBe(true));
        await page.evaluate(OPEN_ALL);
        expect(await isOverflowing(page)).toBe(false);
        papers.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
        await page.screenshot({ path: join(shots(), `shared-${width}-${colorScheme}.png`) });
        await page.close();
      }
    }
    expect(papers).toEqual(['rgb(251, 250, 247)', 'rgb(251, 250, 247)', 'rgb(23, 24, 26)', 'rgb(23, 24, 26)']);
  });

  test('a revoked share is gone for everyone', async () => {
    const { url, id } = await client.post('/sessions/:id/shares', { params: { id: ID }, body: {} });
    const { page } = await visit(url);
    await client.delete('/shares/:share_id', { params: { share_id: id } });
    const response = await page.reload();
    expect(response?.status()).toBe(404);
    await until(async () => expect(await page.locator('body').innerText()).toContain('Page not found.'));
  });
});

describe('sharing from the page', () => {
  const open = async (options: WatchOptions = {}) => {
    const tab = await visit(`${server.url}#token=${TOKEN}&to=/session/${ID}`, options);
    await tab.page.getByRole('button', { name: 'Share' }).click();
    const dialog = tab.page.getByRole('dialog', { name: 'Share this session' });
    await dialog.getByText('private texts are replaced').waitFor();
    return { ...tab, dialog };
  };

  test('shows what is redacted, creates a link, shows it once, lists it and revokes it', async () => {
    const { page, dialog, complaints } = await open();
    await until(async () => expect(await dialog.getByRole('list').first().innerText()).toContain('github token'));
    await dialog.getByRole('combobox').selectOption({ label: '1 day' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const address = await dialog.getByLabel('Share link').inputValue();
    expect(address).toMatch(new RegExp(`^${server.url}s/[\\w-]{22}$`));
    expect((await fetch(address)).status).toBe(200);
    await page.screenshot({ path: join(shots(), 'share-dialog.png') });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);
    const [newest] = (await client.get('/sessions/:id/shares', { params: { id: ID } })).shares;
    expect(newest?.expires_at).toBe('2026-11-16T12:00:00.000Z');
    await dialog.getByRole('button', { name: 'Revoke' }).first().click();
    await until(async () => expect((await fetch(address)).status).toBe(404));
    expect(complaints).toEqual([]);
  });

  test('saves the page as a file, on a phone too, and Escape closes only the dialog', async () => {
    const { page, dialog } = await open({ width: 390, colorScheme: 'dark' });
    expect(await isOverflowing(page)).toBe(false);
    await page.screenshot({ path: join(shots(), 'share-dialog-phone.png') });
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save as file' }).click();
    const { file_name } = await client.get('/sessions/:id/shares/preview', { params: { id: ID } });
    expect((await saving).suggestedFilename()).toBe(file_name);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toContain(`/session/${ID}`);
  });
});
