import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { PAYLOADS } from './support/hostile.ts';
import { isOverflowing } from './support/page-server.ts';
import { openTab } from './support/tabs.ts';

const ID = 'abababab-2222-4333-8444-555555555555';
const usage = { input: 3, output: 40 };
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });

let app: App;
let claude: ClaudeHome;
let home = '';

/**
 * An image in a prompt and in a result, one that is not an image, a change, a sub-agent, a rewound prompt, and hostile
 * texts.
 */
function writeTalk(): void {
  const talk = createTalk(ID);
  const shown = talk.user('');
  const prompt = {
    ...shown,
    message: { role: 'user', content: [text('Look at this.'), image(PNG), image('bm90IGFuIGltYWdl')] },
  };
  const shot = talk.assistant('msg_1', toolUse('toolu_1', 'Read', { file_path: '/home/ada/shop/a.png' }), usage);
  const answer = talk.result('toolu_1', '');
  const seen = {
    ...answer,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image(PNG)] }] },
  };
  const edit = { file_path: '/home/ada/shop/a.ts', old_string: 'old line', new_string: 'new line' };
  const lines = [
    prompt,
    shot,
    seen,
    talk.assistant('msg_2', toolUse('toolu_2', 'Edit', edit), usage),
    talk.result('toolu_2', 'Done.'),
    talk.assistant(
      'msg_3',
      toolUse('toolu_3', 'Agent', { prompt: 'Go', description: 'The errand', subagent_type: 'Explore' }),
      usage,
    ),
    { ...talk.result('toolu_3', 'It went.'), toolUseResult: { agentId: 'a1b2c3d4e5f6a7b8c', status: 'completed' } },
    ...PAYLOADS.flatMap((payload, n) => [talk.user(payload), talk.assistant(`msg_h${n}`, text(payload), usage)]),
  ];
  const rewound = { ...talk.user('Another way.'), parentUuid: lines[6]?.uuid };
  claude.write(`-home-ada-shop/${ID}.jsonl`, [...lines, rewound, talk.assistant('msg_9', text('As you wish.'), usage)]);
  const errand = createTalk(ID, { prefix: 'e' });
  const ofAgent = (line: object) => ({ ...line, isSidechain: true, agentId: 'a1b2c3d4e5f6a7b8c' });
  claude.write(`-home-ada-shop/${ID}/subagents/agent-a1b2c3d4e5f6a7b8c.jsonl`, [
    ofAgent(errand.user('Go')),
    ofAgent(errand.assistant('msg_e', text('I am on an errand.'), usage)),
  ]);
}

beforeAll(async () => {
  claude = createClaudeHome();
  writeTalk();
  home = mkdtempSync(join(tmpdir(), 'fuel-code-exported-'));
  const { config } = loadConfig({ FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path });
  app = await openApp({ config, clock: fixedClock, log: silentLog });
  await app.importNew();
});
afterAll(async () => {
  await app?.close();
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

async function open(options: { readonly turns?: string; readonly images?: boolean } = {}) {
  const { texts } = await app.exportSession(ID, { format: 'html', ...options });
  const path = join(home, 'export.html');
  writeFileSync(path, (await Array.fromAsync(texts)).join(''));
  const tab = await openTab({ isStranger: true });
  const address = pathToFileURL(path).href;
  await tab.page.context().setOffline(true);
  await tab.page.goto(address);
  const fetched = () => tab.requests.filter((url) => url !== address && !url.startsWith('data:'));
  return { ...tab, fetched };
}

test('an exported page has its images, sub-agents, branches and changes, without a network and without scripts', async () => {
  const { page, fetched, complaints } = await open();
  await page.evaluate(`document.querySelectorAll('details').forEach((details) => { details.open = true; })`);
  const widths = await page.evaluate(`[...document.querySelectorAll('img')].map((image) => image.naturalWidth)`);
  const shown = (await page.locator('body').textContent()) ?? '';
  expect(widths).toEqual([1, 1]);
  expect(shown).toContain('not included: the archive has no image that browsers show');
  expect(shown).toContain('2 images not checked for secrets');
  for (const part of ['- old line', '+ new line', 'I am on an errand.', 'Branch 2 of 2, current', 'As you wish.'])
    expect(shown).toContain(part);
  expect(await page.locator('script, iframe, object, link, a').count()).toBe(0);
  expect([fetched(), complaints, await isOverflowing(page)]).toEqual([[], [], false]);
});

test('some turns of it, and images only by name', async () => {
  const { page, fetched, complaints } = await open({ turns: '1', images: false });
  const shown = (await page.locator('body').textContent()) ?? '';
  expect([shown.includes('Look at this.'), shown.includes('I am on an errand.')]).toEqual([true, true]);
  expect(shown).not.toContain('As you wish.');
  expect(await page.locator('img').count()).toBe(0);
  expect([fetched(), complaints]).toEqual([[], []]);
});
