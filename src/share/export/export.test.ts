import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTalk } from '../../../test/browser/support/conversation.ts';
import { makeBlock, makeMessage } from '../../../test/browser/support/make-rows.ts';
import {
  anyText,
  everywhere,
  getOf,
  HOSTILE,
  type PageData,
  queriesOf,
  SESSION_ID,
} from '../../../test/support/hostile-session.ts';
import { foreignNodes, nodesOf, parseGfm, textOfNode } from '../../../test/support/parse-markdown.ts';
import { scaled } from '../../../test/support/sizes.ts';
import type { TurnRange } from '../../domain/turn-range.ts';
import { CSV_COLUMNS, csvOf } from './csv.ts';
import { jsonOf } from './json.ts';
import { writeSession } from './markdown.ts';
import { openSession, type SessionExport } from './session-export.ts';

async function write(
  format: (given: SessionExport) => AsyncGenerator<string>,
  data: PageData,
  range: TurnRange | null = null,
): Promise<string> {
  const opened = await openSession(getOf(queriesOf(data)), SESSION_ID, range);
  return (await Array.fromAsync(format(opened))).join('');
}

const said = (ordinal: number, agent_id: string | null, content_text: string) =>
  makeMessage({
    ordinal,
    agent_id,
    origin: 'model',
    role: 'assistant',
    content_blocks: [makeBlock({ block_type: 'text', content_text })],
  });
const asked = (ordinal: number, content_text: string) =>
  makeMessage({
    ordinal,
    origin: 'human',
    role: 'human',
    content_blocks: [makeBlock({ block_type: 'text', content_text })],
  });
const called = (ordinal: number, agent_id: string | null, tool_use_id: string) =>
  makeMessage({
    ordinal,
    agent_id,
    origin: 'model',
    role: 'assistant',
    content_blocks: [
      makeBlock({ block_type: 'tool_use', tool_name: 'Agent', tool_use_id, tool_input: { prompt: 'Go' } }),
    ],
  });

/** Three turns; the second starts a sub-agent that starts another one. */
const NESTED: PageData = {
  messages: [
    asked(0, 'First prompt'),
    said(1, null, 'First answer'),
    asked(2, 'Second prompt'),
    called(3, null, 'c1'),
    said(4, null, 'Second answer'),
    asked(5, 'Third prompt'),
    said(6, null, 'Third answer'),
    said(7, 'outer', 'Outer starts'),
    called(8, 'outer', 'c2'),
    said(9, 'outer', 'Outer ends'),
    said(10, 'inner', 'Inner works'),
    said(11, 'loose', 'Loose works'),
  ],
  subagents: [
    { agent_id: 'outer', spawning_tool_use_id: 'c1', description: 'Outer task' },
    { agent_id: 'inner', spawning_tool_use_id: 'c2', description: 'Inner task' },
    { agent_id: 'loose', spawning_tool_use_id: null },
  ],
};

describe('a session as Markdown', () => {
  it('has no markup from the transcript, whatever is in its fields, and every block is closed', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const document = parseGfm(await write(writeSession, everywhere(text)));
        expect(foreignNodes(document)).toEqual([]);
        const html = (document.children ?? []).flatMap(({ type, value = '' }) => (type === 'html' ? [value] : []));
        expect(html.filter((value) => value === '</details>')).toHaveLength(html.length / 2);
        expect(textOfNode(document.children?.at(-1) ?? { type: '' })).toContain('Exported by fuel-code');
        // Nothing of a text is inside of another block: all HTML is at the top.
        expect(nodesOf(document).filter(({ type }) => type === 'html')).toHaveLength(html.length);
      }),
      { numRuns: scaled(25), examples: HOSTILE.map((text): [string] => [text]) },
    );
  });

  it('reads like the conversation: prompts and answers as text, calls collapsed, changes as diffs', async () => {
    const { session, messages } = makeTalk();
    const text = await write(writeSession, { session, messages });
    const document = parseGfm(text);
    const headings = nodesOf(document).filter(({ type }) => type === 'heading');
    expect(headings.map((node) => [node.depth, textOfNode(node)])).toMatchInlineSnapshot(`
      [
        [
          1,
          "Fix the ferry timetable",
        ],
        [
          2,
          "1. The timetable is \`one hour\` early.",
        ],
      ]
    `);
    const diff = nodesOf(document).find(({ type, lang }) => type === 'code' && lang === 'diff');
    expect(diff?.value).toContain('-b\n+c');
    expect(text).toMatch(/<summary><b>Bash<\/b> <code>.*<\/code> .*failed<\/summary>/);
  });

  it('nests sub-agents where they were started, and shows one without a call at the end', async () => {
    const text = await write(writeSession, NESTED);
    const places = [
      'First answer',
      'Outer task',
      'Outer starts',
      'Inner task',
      'Inner works',
      'Outer ends',
      'Second answer',
      'Third answer',
      'Loose works',
    ].map((word) => text.indexOf(word));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });
});

describe('some turns of a session', () => {
  const words = ['First', 'Second', 'Outer', 'Inner', 'Third', 'Loose'];
  const wordsIn = (text: string) => words.filter((word) => text.includes(`${word} `));
  it.each([writeSession, csvOf, (given: SessionExport) => jsonOf(given, true)])('%o', async (format) => {
    const none = { ...NESTED, session: { title: null, initial_prompt: null } };
    const without = { ...none, subagents: none.subagents?.map((agent) => ({ ...agent, description: null })) ?? [] };
    expect(wordsIn(await write(format, without, { first: 2, last: 2 }))).toEqual(['Second', 'Outer', 'Inner']);
    expect(wordsIn(await write(format, without, { first: 1, last: 1 }))).toEqual(['First']);
    expect(wordsIn(await write(format, without, { first: 2, last: 99 }))).toEqual([
      'Second',
      'Outer',
      'Inner',
      'Third',
    ]);
    expect(wordsIn(await write(format, without))).toEqual(words);
    await expect(write(format, without, { first: 4, last: 4 })).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no turn 4: the session has 3 turns.',
    });
  });

  it('keeps a result that comes after the next prompt with its call', async () => {
    const use = makeBlock({
      block_type: 'tool_use',
      tool_name: 'Bash',
      tool_use_id: 'c',
      tool_input: { command: 'make' },
    });
    const result = makeBlock({ block_type: 'tool_result', tool_result_id: 'c', result_text: 'late output' });
    const messages = [
      asked(0, 'One'),
      makeMessage({ ordinal: 1, origin: 'model', role: 'assistant', content_blocks: [use] }),
      asked(2, 'Two'),
      makeMessage({ ordinal: 3, origin: 'tool_result', role: 'human', content_blocks: [result] }),
    ];
    const text = await write(writeSession, { messages }, { first: 1, last: 1 });
    expect([text.includes('late output'), text.includes('> Two')]).toEqual([true, false]);
  });
});

describe('a session as CSV', () => {
  it('has a row per message and per call, and no cell is a formula', async () => {
    const messages = [asked(0, '=HYPERLINK("http://evil.example")'), called(1, null, 'c'), said(2, null, 'a,b\n"c"')];
    const lines = (await write(csvOf, { messages })).split('\r\n');
    expect(lines[0]).toBe(CSV_COLUMNS.join(','));
    expect(lines.slice(1, -1).map((line) => line.split(',').slice(0, 6).join(','))).toEqual([
      expect.stringContaining(`0,1,,`),
      expect.stringContaining('1,1,,'),
      expect.stringContaining('tool_call'),
      expect.stringContaining('answer'),
    ]);
    expect(lines[1]).toContain(`prompt,"'=HYPERLINK(""http://evil.example"")"`);
    expect(lines[4]).toContain('"a,b\n""c"""');
  });
});
