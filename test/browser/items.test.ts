import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BlockRow, MessageRow } from '../../src/api/transcript.ts';
import { until } from '../support/until.ts';
import { findSerious } from './support/axe.ts';
import { human, model, result } from './support/conversation.ts';
import { makeBlock, makeCallFacts, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing, type PageServer } from './support/page-server.ts';
import { useBrowser } from './support/suite.ts';

const ID = '77777777-0000-4000-8000-000000000007';
/** A one-pixel image. */
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
  /** The contents of the open call. */
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
  {
    name: 'Edit',
    input: { file_path: 'src/refused.ts', old_string: 'const name = 1;', new_string: 'const title = 1;' },
    result: REJECTED,
    isError: true,
    facts: { status: 'denied', denial: 'user' },
    shows: 'const name = 1;',
  },
  {
    name: 'KillShell',
    input: { shell_id: 'b1' },
    result: 'Successfully killed shell: b1',
    shows: 'Successfully killed shell: b1',
  },
  { name: 'Skill', input: { skill: 'tidy-up' }, result: 'Launching skill: tidy-up', shows: 'Launching skill' },
  {
    name: 'Read',
    input: { file_path: `/home/mira/${'a-long-folder/'.repeat(9)}the-name-of-the-file.ts` },
    result: '     1→const deep = true;',
    shows: 'const deep = true;',
  },
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
  const ferries = makeBlock({ block_type: 'tool_use', tool_name: 'Glob', tool_input: { pattern: '*.ferry' } });
  const parts: readonly Partial<MessageRow>[] = [
    { ...prompt, content_blocks: [...(prompt.content_blocks ?? []), ...pictures] },
    ...calls,
    model([makeBlock({ block_type: 'text', content_text: 'Now the ferries.' }), { ...ferries, block_order: 1 }]),
    model([makeBlock({ block_type: 'text', content_text: 'The end of the story.' })]),
  ];
  return parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
}

const { serve, visit } = useBrowser();
let server: PageServer;

beforeAll(async () => {
  const data = createMemoryData({
    sessions: [makeSession({ id: ID, title: 'Every tool' })],
    messages: new Map([[ID, messages()]]),
  });
  server = await serve({
    ...data,
    readMedia: async (_, { blockOrder }) => (blockOrder === 3 ? SVG : PNG),
    readRawMessage: async () => [Buffer.from('{"type":"user","uuid":"exact"}')],
  });
});

async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const { page } = await visit(server, { path: `/session/${ID}`, height: 6_000, colorScheme });
  await page.getByRole('radio', { name: 'Everything' }).click();
  await page.getByText('The end of the story.').waitFor();
  return page;
}

describe('the items of a session', () => {
  test('every tool call shows its contents when it is opened', async () => {
    const page = await open();
    const lines = page.locator('[data-item=tool] > button');
    // And the one that follows a text.
    await until(async () => expect(await lines.count()).toBe(CALLS.length + 1));
    for (const [at, { shows }] of CALLS.entries()) {
      await lines.nth(at).click();
      await page.locator('[data-item=tool]').nth(at).getByText(shows).first().waitFor();
    }
    const text = await page.locator('[role=feed]').innerText();
    for (const fact of ['exit 2', 'waited 12s', 'new file', 'tidy', '0 of 1 done']) expect(text).toContain(fact);
    expect(text).toMatch(/42\s*\+\s*const b = two/);
    expect(text).not.toContain("doesn't want to proceed");
    const refused = page.locator('[data-item=tool]').filter({ hasText: 'src/refused.ts' });
    await refused.getByText('const title = 1;').waitFor();
  });

  test('a long path keeps the name of its file', async () => {
    const page = await open();
    const name = page.getByText('the-name-of-the-file.ts', { exact: true });
    const widthOf = async () => Math.round((await name.boundingBox())?.width ?? 0);
    const whole = await widthOf();
    await page.setViewportSize({ width: 360, height: 6_000 });
    await page.getByLabel('Views of the session').waitFor();
    await until(async () => expect(await widthOf()).toBe(whole));
    await until(async () => expect(await isOverflowing(page)).toBe(false));
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in open items, %s', async (colorScheme) => {
    const page = await open(colorScheme);
    const lines = page.locator('[data-item=tool] > button');
    for (const at of CALLS.keys()) await lines.nth(at).click();
    await page.locator('[data-entry=answer]').last().hover();
    await page.getByRole('button', { name: 'Details and raw line' }).last().click();
    await page.getByText('"exact"').waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test('H10: images are shown, and other bytes are only named', async () => {
    const page = await open();
    const thumbnails = page.getByRole('button', { name: /^Image \d of 3/ });
    await thumbnails.nth(1).waitFor();
    await page.getByText('not an image that can be shown').waitFor();
    await until(async () => expect(await thumbnails.count()).toBe(2));
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

  test('the link of a call leads to the call, not to the text before it in the same message', async () => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const call = page.locator('[data-entry=tool]', { hasText: '*.ferry' });
    await call.hover();
    await call.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toBe(`${new URL(server.url).origin}/session/${ID}?at=${messages().length - 2}&block=1`);
    await page.goto(link);
    const current = page.locator('[data-current]');
    await until(async () => expect(await current.textContent()).toContain('*.ferry'));
    expect(await current.getByRole('button', { expanded: true }).count()).toBe(1);
  });
});
