import { afterAll, expect, test } from 'vitest';
import { renderDetail } from '../../src/cli/session-detail.ts';
import type { Source } from '../../src/cli/source.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { renderTranscript } from '../../src/cli/transcript/print-transcript.ts';
import { createRedactor } from '../../src/redact/redact.ts';
import { openPage } from '../../src/share/page/page.ts';
import { human, makeTalk, model, result, TALK_ID } from './support/conversation.ts';
import { makeBlock, makeMessage, makeSubagent } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { type PageServer, servePage } from './support/page-server.ts';
import { openTab } from './support/tabs.ts';

const AGENT = 'a0123456789abcdef';
const TWENTY_LINES = Array.from({ length: 20 }, (_, at) => `line ${at}`);

/** The conversation, an edit of the first and last of twenty lines, a command and a to-do list. */
function makeData() {
  const { session, messages } = makeTalk();
  const call = (id: string, tool_name: string, tool_input: object) =>
    model([makeBlock({ block_type: 'tool_use', tool_name, tool_use_id: id, tool_input: tool_input as never })]);
  const changed = TWENTY_LINES.with(0, 'first').with(19, 'last').join('\n');
  const more = [
    human('And the lines?'),
    call('call-4', 'Edit', { file_path: '/b.ts', old_string: TWENTY_LINES.join('\n'), new_string: changed }),
    result('call-4', 'done', false),
    call('call-5', 'TodoWrite', { todos: [{ content: 'Rest', status: 'completed' }] }),
    result('call-5', 'done', false),
    { ...human('<command-name>/cost</command-name><command-args></command-args>'), origin: 'command' },
    { ...human('Hello from ada.'), origin: 'teammate' },
    call('call-6', 'Bash', { command: 'sleep 1' }),
  ];
  const all = more.map((part, at) => makeMessage({ ...part, ordinal: messages.length + at }));
  const facts = { denial: null, exit_code: null, duration_ms: null, status: 'ok' };
  return createMemoryData({
    sessions: [{ ...session, title: null, initial_prompt: 'The timetable is early.\nIn winter only.' }],
    messages: new Map([[TALK_ID, [...messages, ...all]]]),
    parts: {
      tool_calls: [
        { ...facts, id: 'call-1', status: 'error', exit_code: 1, duration_ms: 65_000 },
        { ...facts, id: 'call-6', status: 'denied', denial: 'user' },
      ],
      subagents: [makeSubagent({ agent_id: AGENT, spawning_tool_use_id: 'call-3' })],
    },
  });
}

/** A session as the reader sees it, in any of its presentations. */
interface Seen {
  readonly title: string;
  readonly prompts: number;
  readonly commands: number;
  readonly thinking: number;
  readonly compactions: readonly string[];
  /** Name, subject and outcome of each call. */
  readonly calls: readonly string[];
  readonly agents: readonly string[];
}

const EXPECTED: Seen = {
  title: 'The timetable is early.',
  prompts: 3,
  commands: 1,
  thinking: 1,
  compactions: ['Conversation compacted automatically · 167k tokens'],
  calls: [
    'Bash npm test exit 1 · 1m',
    'Edit src/a.ts +2 −1',
    'Agent Look around',
    'Edit /b.ts +2 −2',
    'TodoWrite 1 of 1 done',
    'Bash sleep 1 denied by the user',
  ],
  agents: ['Sub-agent Explore 2 messages · 1 call · 2m · $0.50'],
};

let server: PageServer | undefined;

afterAll(async () => {
  await server?.close();
});

const data = makeData();
const allOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, ...groups]) => groups.join(' '));

// Regression: terminal, page and shared file showed different diffs, titles and kinds of the same session.
test('the terminal shows the session', async () => {
  const written: string[] = [];
  const terminal = { columns: 100, hasColor: false, out: (text: string) => void written.push(text) } as Terminal;
  const view = { terminal, columns: 100, isFull: false, hasThinking: false, hasSubagents: false };
  const session = await data.get('/sessions/:id', { params: { id: TALK_ID } });
  terminal.out(renderDetail(terminal, session));
  for await (const text of renderTranscript(view, { get: data.get } as Source, session)) terminal.out(text);
  const shown = written.join('');
  const heads = allOf(shown, /^❯ (.*?) {2}/gm);
  const calls = allOf(shown, /[├└]─ (.*)(?:\n.{5}(\+\d+ −\d+)$)?/gm);
  expect({
    title: shown.split('\n', 1)[0],
    prompts: heads.length - 1,
    commands: allOf(shown, /^❯ You.*\n {2}(\/cost)$/gm).length,
    thinking: allOf(shown, /(✻ thinking)/g).length,
    compactions: allOf(shown, /── (Conv.*?) ─/g),
    calls: calls.map((call) => call.replaceAll(/ +/g, ' ').trim()),
    agents: allOf(shown, /⧉ (Sub-agent \w+) · (.*?) · a0123456/g),
  }).toEqual(EXPECTED);
});

test('the page shows the same', async () => {
  server = await servePage(data);
  const { page } = await openTab({ height: 3_000 });
  await page.goto(server.address);
  await page.waitForSelector('[role=grid]');
  await page.goto(`${server.url}session/${TALK_ID}`);
  await page.getByRole('radio', { name: 'Everything' }).click();
  await page.getByText('denied by the user').waitFor();
  await page.locator('[data-item=thinking]').waitFor();
  const texts = async (selector: string) => (await page.locator(selector).allTextContents()).map((text) => text.trim());
  const parts = async (selector: string) => {
    const rows = await page.locator(selector).all();
    return Promise.all(
      rows.map(async (row) =>
        (await row.locator(':is(span, bdi):not(:is(span, bdi) *)').allTextContents()).join(' ').trim(),
      ),
    );
  };
  const agent = page.locator('[data-kind=agent]');
  expect({
    title: await page.locator('h1').textContent(),
    prompts: await page.locator('[data-kind=prompt] [data-item=prompt]').count(),
    commands: (await page.locator('[data-kind=prompt]').count()) - (await page.locator('[data-item=prompt]').count()),
    thinking: await page.locator('[data-item=thinking]').count(),
    compactions: await texts('[data-item=compaction] span'),
    calls: (await parts('[data-item=tool] > button')).map((call) => call.replaceAll(/ +/g, ' ')),
    agents: [
      `${await agent.locator('[data-part=name]').textContent()} ${await agent.locator('[data-part=facts]').textContent()}`,
    ],
  }).toEqual(EXPECTED);
});

test('the shared file shows the same', async () => {
  const file = await openPage({ get: data.get, redactor: createRedactor() }, TALK_ID);
  const shown = (await Array.fromAsync(file.texts)).join('');
  const agents = allOf(shown, /class="agent"><summary><span class="name">(.*?)<.*?class="mark">(.*?)</g);
  const calls = allOf(shown, /class="tool[^"]*"><summary>(.*?)<\/summary>/g);
  expect({
    title: /<h1[^>]*>(.*?)<\/h1>/.exec(shown)?.[1],
    // The task of the sub-agent is in the file too.
    prompts: allOf(shown, /(<section class="prompt">)/g).length - 1,
    commands: allOf(shown, /(<p class="command">)/g).length,
    thinking: allOf(shown, /(<details><summary><span class="thinking">)/g).length,
    compactions: allOf(shown, /class="compaction"><span>(.*?)</g),
    calls: calls.map((call) =>
      call
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    ),
    agents,
  }).toEqual(EXPECTED);
});
