import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTalk } from '../../../test/browser/support/conversation.ts';
import { makeBlock, makeCallFacts, makeMessage } from '../../../test/browser/support/make-rows.ts';
import {
  anyText,
  everywhere,
  getOf,
  HOSTILE,
  SESSION_ID as ID,
  type PageData,
  type PageQueries,
  queriesOf,
} from '../../../test/support/hostile-session.ts';
import { scaled } from '../../../test/support/sizes.ts';
import type { BlockRow } from '../../api/transcript.ts';
import { createRedactor } from '../../redact/redact.ts';
import { CANARIES } from '../../redact/testing/secrets.ts';
import { openPage } from './page.ts';

const redactor = createRedactor();

async function render(data: PageData) {
  const page = await openPage({ get: getOf(queriesOf(data)), redactor }, ID);
  const text = (await Array.fromAsync(page.texts)).join('');
  return { page, text, redacted: page.redacted() };
}

/** The markup that the page may contain; anything else in angle brackets is not ours. */
const TAG = /<\/?(?:[a-z][a-z0-9]*)(?: (?:class|dir)="[a-z0-9 -]*")*>/g;
const ELEMENTS = new Set(
  `html head meta title style body header main footer h1 dl div dt dd bdi time section span p pre code strong em ul li
   blockquote hr table thead tbody tr th td details summary`.split(/\s+/),
);

/** The page without our own markup; only text may remain. */
function foreignMarkup(page: string): string[] {
  const body = page.slice(page.indexOf('<body>'));
  const names = [...body.matchAll(TAG)].map(([tag]) => /[a-z][a-z0-9]*/.exec(tag)?.[0] ?? '');
  const left = body.replaceAll(TAG, '');
  return [...names.filter((name) => !ELEMENTS.has(name)), ...(left.match(/<.{0,40}/g) ?? [])];
}

describe('a session as a page', () => {
  // In a list of lines, a key that spans them would not be recognized.
  it('H20: a change is shown as it was asked for, without the lines of the file around it', async () => {
    const patch = [{ old_start: 1, new_start: 1, lines: [' MIIEowIBAAKCAQEA', '-old', '+new'] }];
    const use = makeBlock({
      block_type: 'tool_use',
      tool_use_id: 't',
      tool_name: 'Edit',
      tool_input: { file_path: 'a.pem', old_string: 'old', new_string: 'new' },
      call: makeCallFacts({ patch }),
    });
    const { text } = await render({ messages: [makeMessage({ ordinal: 0, content_blocks: [use] })] });
    expect(text).toContain('- old');
    expect(text).not.toContain('MIIEowIBAAKCAQEA');
  });

  it('H20: no field can inject an element or an attribute', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { text: page } = await render(everywhere(text));
        expect(foreignMarkup(page)).toEqual([]);
        expect(page).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u);
      }),
      { numRuns: scaled(40), examples: HOSTILE.map((text): [string] => [text]) },
    );
  });

  const SOME = 8;
  const groups = Array.from({ length: Math.ceil(CANARIES.length / SOME) }, (_, at) =>
    CANARIES.slice(at * SOME, (at + 1) * SOME),
  ).map((canaries) => ({ canaries, kinds: canaries.map(({ kind }) => kind).join(', ') }));
  it.each(groups)('H20, J2: no field shows $kinds', async ({ canaries }) => {
    // Alone, within a sentence and as code.
    const place = ({ text }: (typeof CANARIES)[number]) => `${text}\n\nsee ${text} there\n\n\`\`\`\n${text}\n\`\`\``;
    const rendered = await render(everywhere(canaries.map(place).join('\n\n')));
    for (const { kind, secret } of canaries) {
      expect(rendered.text).not.toContain(secret);
      expect(rendered.text).not.toContain(JSON.stringify(secret).slice(1, -1).replaceAll('&', '&amp;'));
      expect(rendered.redacted[kind], kind).toBeGreaterThan(0);
      expect(rendered.page.title + rendered.page.fileName).not.toContain(secret);
    }
  });

  it('J2: redacts a secret with a color code in the middle', async () => {
    const { secret } = CANARIES.find(({ kind }) => kind === 'github-token') ?? { secret: '' };
    const painted = `${secret.slice(0, 9)}\u001b[31m${secret.slice(9)}`;
    const { text } = await render(everywhere(painted));
    expect(text.replaceAll('\u001b[31m', '')).not.toContain(secret);
  });

  it('describes itself first, and neither runs nor fetches anything', async () => {
    const { text } = await render(makeTalkOf());
    const head = text.slice(0, text.indexOf('<body>'));
    expect(head).toMatch(/^<!doctype html>/);
    expect(head).toContain('<meta name="robots" content="noindex');
    expect(head.indexOf('Content-Security-Policy')).toBeLessThan(head.indexOf('<title>'));
    expect(head).toMatch(/default-src &#39;none&#39;; style-src &#39;sha256-[\w+/=]{44}&#39;/);
    expect(text).not.toMatch(/<script|<link|<img|javascript:|https?:\/\/|url\(|@import| on[a-z]+=| href=| src=/);
  });

  it('renders a conversation like the web page does', async () => {
    const { text, page } = await render(makeTalkOf());
    expect(page.fileName).toBe('fix-the-ferry-timetable-11111111.html');
    expect(text).toContain('<h1 dir="auto">Fix the ferry timetable</h1>');
    expect(text).toContain('<code>one hour</code>');
    expect(text).toContain('<strong>look</strong>');
    expect(text).toMatch(/<details class="tool bad"><summary><span class="name">Bash<\/span>.*failed/);
    expect(text).toContain('<span class="removed">- b</span><span class="added">+ c</span>');
    expect(text).toMatch(/<details><summary><span class="thinking">Thinking<\/span>/);
    expect(text).toContain('Conversation compacted');
  });

  it('shows what an agent was told as Markdown, and what a person typed as it is', async () => {
    const told = (ordinal: number, origin: 'human' | 'agent_prompt') =>
      makeMessage({ ordinal, origin, content_blocks: [makeBlock({ block_type: 'text', content_text: '**now**' })] });
    const { text } = await render({ messages: [told(0, 'human'), told(1, 'agent_prompt')] });
    expect(text.match(/<p>\*\*now\*\*<\/p>/g)).toHaveLength(1);
    expect(text.match(/<p><strong>now<\/strong><\/p>/g)).toHaveLength(1);
  });

  it('omits devices, tags, notes, summaries and ids', async () => {
    const hidden = { device_name: 'zebra-one', tags: ['zebra-two'], summary: 'zebra-three', cc_version: 'zebra-four' };
    const notes = [{ id: 'n', text: 'zebra-five', created_at: '', updated_at: '' }];
    const { text } = await render({ ...makeTalkOf(), session: { ...hidden, notes, id: ID } });
    expect(text).not.toMatch(/zebra|11111111|call-1|message-\d/);
  });

  it('shows a sub-agent once below its call, and one without a call at the end', async () => {
    const call = makeBlock({
      block_type: 'tool_use',
      tool_name: 'Agent',
      tool_use_id: 'c',
      tool_input: { prompt: 'Go' },
    });
    const said = (ordinal: number, agent_id: string | null, content_text: string) =>
      makeMessage({ ordinal, agent_id, content_blocks: [makeBlock({ block_type: 'text', content_text })] });
    const messages = [
      makeMessage({ ordinal: 0, content_blocks: [call] }),
      said(1, 'inner', 'I am within.'),
      said(2, null, 'And on.'),
      said(3, 'loose', 'I am alone.'),
    ];
    const subagents = [{ agent_id: 'inner', spawning_tool_use_id: 'c' }, { agent_id: 'loose' }];
    const { text } = await render({ messages, subagents });
    const places = ['Agent</span>', 'I am within.', 'And on.', 'I am alone.'].map((word) => text.indexOf(word));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(text.split('I am within.')).toHaveLength(2);
    expect(text.match(/<details/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });

  it('shows a result with its call if it is close, and separately if it is far away', async () => {
    const call = makeBlock({
      block_type: 'tool_use',
      tool_name: 'Bash',
      tool_use_id: 'c',
      tool_input: { command: 'ls' },
    });
    const result = makeBlock({ block_type: 'tool_result', tool_result_id: 'c', result_text: 'the-output' });
    const at = (ordinal: number, block: BlockRow) => makeMessage({ ordinal, content_blocks: [block] });
    const talk = (ordinal: number) => at(ordinal, makeBlock({ block_type: 'text', content_text: 'meanwhile' }));
    const between = (count: number) => Array.from({ length: count }, (_, n) => talk(n + 1));
    const near = await render({ messages: [at(0, call), ...between(20), at(21, result)] });
    const far = await render({ messages: [at(0, call), ...between(200), at(201, result)] });
    expect(near.text.indexOf('the-output')).toBeLessThan(near.text.indexOf('meanwhile'));
    expect(far.text.lastIndexOf('meanwhile')).toBeLessThan(far.text.indexOf('the-output'));
    for (const { text } of [near, far]) expect(text.split('the-output')).toHaveLength(2);
  });

  it('notes where a text was truncated', async () => {
    const metadata = { truncated: true };
    const said = makeBlock({ block_type: 'text', content_text: 'long', metadata });
    const result = makeBlock({ block_type: 'tool_result', tool_result_id: 'x', result_text: 'long', metadata });
    const { text } = await render({ messages: [makeMessage({ ordinal: 0, content_blocks: [said, result] })] });
    expect(text.split('The rest of this text is omitted.')).toHaveLength(3);
  });

  it('holds only a few messages in memory, however many there are', async () => {
    let [given, most] = [0, 0];
    const endless: PageQueries = {
      ...queriesOf({}),
      'GET /sessions/:id/transcript': async ({ query: { after = -1, limit } }) => {
        given += limit;
        const messages = Array.from({ length: limit }, (_unused, n) =>
          makeMessage({
            ordinal: after + 1 + n,
            content_blocks: [makeBlock({ block_type: 'text', content_text: 'word' })],
          }),
        );
        return { messages, next_after: after + limit < 5_000 ? after + limit : null };
      },
    };
    const page = await openPage({ get: getOf(endless), redactor: createRedactor() }, ID);
    let drawn = 0;
    for await (const piece of page.texts) {
      drawn += piece.split('<p>word</p>').length - 1;
      most = Math.max(most, given - drawn);
    }
    expect(drawn).toBeGreaterThanOrEqual(5_000);
    expect(most).toBeLessThan(200);
  });

  it('rejects an archived session and explains how to restore it', async () => {
    await expect(render({ session: { lifecycle: 'archived' } })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('--restore') as string,
    });
  });
});

function makeTalkOf(): PageData {
  const { session, messages } = makeTalk();
  return { session, messages };
}
