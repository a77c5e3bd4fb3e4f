import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlockRow, MessageRow } from '../../src/api/transcript.ts';
import { human, model, result } from './support/conversation.ts';
import { makeBlock, makeCallFacts, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { addressOf, builtPage, openBrowser, openTab, type PageServer, servePage } from './support/page-server.ts';

const ID = '77777777-0000-4000-8000-000000000007';
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script></svg>');

interface Call {
  readonly name: string;
  readonly input: BlockRow['tool_input'];
  readonly result: string;
  readonly isError?: boolean;
  readonly facts?: Parameters<typeof makeCallFacts>[0];
  /** What the open call shows. */
  readonly shows: string;
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). The user provided the following reason for the rejection:  keep the name";

const CALLS: readonly Call[] = [
  {
    name: 'Edit',
    input: { file_path: 'src/a.ts', old_string: 'one', new_string: 'two' },
    result: 'done',
    facts: {
      patch: [{ old_start: 41, new_start: 41, lines: [' const a = 0;', '-const b = one;', '+const b = two;'] }],
    },
    shows: 'const b = two;',
  },
  { name: 'Write', input: { file_path: 'src/b.ts', content: 'fresh();\n' }, result: 'ok', shows: 'fresh();' },
  {
    name: 'Bash',
    input: { command: 'make test' },
    result: 'Exit code 2\nout\nwarned',
    isError: true,
    facts: { status: 'error', exit_code: 2, stderr: 'warned', waiting_ms: 12_000 },
    shows: 'Error output',
  },
  { name: 'ExitPlanMode', input: { plan: '# The plan' }, result: REJECTED, isError: true, shows: 'keep the name' },
  {
    name: 'AskUserQuestion',
    input: { questions: [{ question: 'Which?', options: [{ label: 'Blue', description: 'like the sea' }] }] },
    result: 'Your questions have been answered: "Which?"="Blue" user notes: not too dark',
    shows: 'not too dark',
  },
  {
    name: 'TodoWrite',
    input: { todos: [{ content: 'Write the tests', status: 'in_progress' }] },
    result: 'ok',
    shows: 'Write the tests',
  },
  {
    name: 'CronCreate',
    input: { cron: '0 9 * * *', prompt: 'Look at the mail' },
    result: 'Created.',
    shows: 'Look at the mail',
  },
  { name: 'mcp__docs__query', input: { library_id: 'x' }, result: '{"found":[1]}', shows: '"found"' },
  { name: 'Agent', input: { description: 'Look', prompt: 'Find it.', model: 'haiku' }, result: 'Yes.', shows: 'haiku' },
  { name: 'Workflow', input: { script: "export const meta = { name: 'tidy' }" }, result: 'Launched.', shows: 'meta' },
];

const image = () => makeBlock({ block_type: 'image', metadata: { mediaType: 'image/png', bytes: 100 } });

function messages(): readonly MessageRow[] {
  const prompt = human('Look at these.');
  const pictures = [1, 2, 3].map((block_order) => ({ ...image(), block_order }));
  const calls = CALLS.flatMap(({ name, input, result: text, isError = false, facts = {} }, at) => {
    const use = { tool_name: name, tool_use_id: `call-${at}`, tool_input: input, call: makeCallFacts(facts) };
    return [model([makeBlock({ block_type: 'tool_use', ...use })]), result(`call-${at}`, text, isError)];
  });
  const parts: readonly Partial<MessageRow>[] = [
    { ...prompt, content_blocks: [...(prompt.content_blocks ?? []), ...pictures] },
    ...calls,
    model([makeBlock({ block_type: 'text', content_text: 'The end of the story.' })]),
  ];
  return parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
}

let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  const opened = await openBrowser();
  const webRoot = builtPage();
  browser = opened;
  const data = createMemoryData({
    sessions: [makeSession({ id: ID, title: 'Every tool' })],
    messages: new Map([[ID, messages()]]),
  });
  server = await servePage(webRoot, {
    ...data,
    readMedia: async (_, { blockOrder }) => (blockOrder === 3 ? SVG : PNG),
    readRawMessage: async () => [Buffer.from('{"type":"user","uuid":"exact"}')],
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Run in the page. Parts of a label that styles separate look like one word to the rule that is left out. */
const FIND_SERIOUS = `axe.run({ rules: { 'label-content-name-mismatch': { enabled: false } } }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`;

async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const { page } = await openTab(browser, { height: 3_000, colorScheme });
  await page.goto(addressOf(server, `/session/${ID}`));
  await page.getByRole('radio', { name: 'Everything' }).click();
  await page.getByText('The end of the story.').waitFor();
  return page;
}

describe('the items of a session', () => {
  test('every tool shows what it did when it is opened', async () => {
    const page = await open();
    const lines = page.locator('[data-item=tool] > button');
    expect(await lines.count()).toBe(CALLS.length);
    for (const [at, { shows }] of CALLS.entries()) {
      await lines.nth(at).click();
      await page.locator('[data-item=tool]').nth(at).getByText(shows).first().waitFor();
    }
    const text = await page.locator('[role=feed]').innerText();
    for (const fact of ['exit 2', 'waited 12s', 'new file', 'tidy', '0 of 1 done']) expect(text).toContain(fact);
    expect(text).toMatch(/42\s*\+\s*const b = two/);
    expect(text).not.toContain("doesn't want to proceed");
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in open items, %s', async (colorScheme) => {
    const page = await open(colorScheme);
    const lines = page.locator('[data-item=tool] > button');
    for (const at of CALLS.keys()) await lines.nth(at).click();
    await page.locator('[data-entry=answer]').last().hover();
    await page.getByRole('button', { name: 'Details and raw line' }).last().click();
    await page.getByText('"exact"').waitFor();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    expect(await page.evaluate(FIND_SERIOUS)).toEqual([]);
  });

  test('H10: images are shown, and other bytes are only named', async () => {
    const page = await open();
    const thumbnails = page.getByRole('button', { name: /^Image \d of 3/ });
    await thumbnails.nth(1).waitFor();
    await page.getByText('not an image that can be shown').waitFor();
    expect(await thumbnails.count()).toBe(2);
    expect(await page.evaluate('[...document.images].every((image) => image.src.startsWith("blob:"))')).toBe(true);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  test('the lightbox goes to the next image and closes', async () => {
    const page = await open();
    await page.getByRole('button', { name: /^Image 1 of 3/ }).click();
    await page.getByRole('dialog', { name: 'Image 1 of 3' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'Image 2 of 3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toContain(ID);
  });

  test('a link to an item can be copied, and its raw line read', async () => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const answer = page.locator('[data-entry=answer]').last();
    await answer.hover();
    await answer.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toBe(`${new URL(server.url).origin}/session/${ID}?at=${messages().length - 1}`);
    await answer.getByRole('button', { name: 'Details and raw line' }).click();
    const details = page.getByRole('complementary', { name: 'Details of the item' });
    await details.getByText('"exact"').waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    expect(page.url()).toContain(ID);
  });
});
