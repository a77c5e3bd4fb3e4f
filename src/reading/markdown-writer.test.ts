import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { foreignNodes, type MarkdownNode, nodesOf, parseGfm, textOfNode } from '../../test/support/parse-markdown.ts';
import { scaled } from '../../test/support/sizes.ts';
import {
  codeSpan,
  details,
  escapeLine,
  fence,
  quoteBlock,
  writeHeading,
  writeMarkdown,
  writeTyped,
} from './markdown-writer.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '</details>\n\n<img src=x onerror=y>',
  '<!-- ',
  '<details><summary>x</summary>',
  '```',
  '~~~~\n</details>',
  '> ```\n> x\n</details>',
  '- ```\n- x\n</details>\n```',
  '    indented <b>',
  '[a]: http://evil.example\n[a]',
  '![x](http://evil.example/pixel.png)',
  '[x](javascript:alert(1))',
  '[x](<javascript:alert(1)>) <https://a.example>',
  '[^1]: note\n[^1]',
  'a\n===\nb\n---',
  '| a | b |\n|---|---|\n| `x|y` | <b>\\|` |',
  '1. a\n   ```\n   b\n2. c',
  '- [x] done\n- [ ] <b>\n  - deep\n          - deeper',
  '**a**b *c*d __e__ ***f*** _g_',
  '`` ` `` \\` `a``',
  'a\\\nb  \nc\\',
  '$x$ $$y$$ ~z~ ~~w~~ @ada #12 :smile:',
  '&lt;b&gt; &amp;amp; &#60;',
  'a\rb\r\n<b>\rc',
  '\u0000\u001b[31mred\u202e\ud800',
  '# h #\n####### seven\n#',
  '\t<b>\n \t- x',
  'https://a.example/_x_*y*|z`w www.evil.example a@b.example',
];
const PIECES = [
  '`',
  '``',
  '```',
  '~~~',
  '<',
  '>',
  '</details>',
  '<b>',
  '&',
  '*',
  '**',
  '_',
  '[',
  ']',
  '(',
  ')',
  '!',
  '|',
  '|---|',
  '#',
  '- ',
  '1. ',
  '=',
  '---',
  '\\',
  '\n',
  '\n\n',
  '    ',
  '\t',
  ' ',
  'a',
  'b1',
  'https://x.y',
  '$',
  '~',
  ':',
  '^',
  '"',
  '\r',
  '[x] ',
];
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join('')),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 4 }).map((all) => all.join('\n')),
);
const examples = HOSTILE.map((text): [string] => [text]);

/** A document with a text in every place that takes one. */
function documentOf(text: string): string {
  return [
    writeHeading(1, escapeLine(text) || 'none'),
    details({ name: text, about: text, mark: text }, [fence(text, 'diff'), fence(text), writeMarkdown(text)]),
    quoteBlock(writeTyped(text)),
    escapeLine(text),
    `**Name** ${codeSpan(text)}`,
    writeMarkdown(text),
    writeTyped(text),
    'END',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const topLevel = ({ children = [] }: MarkdownNode) => children.map(({ type }) => type);

describe('Markdown of hostile texts', () => {
  test('has no HTML, image, definition or foreign link, and nothing ends or swallows a block of the document', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const document = parseGfm(documentOf(text));
        expect(foreignNodes(document)).toEqual([]);
        expect(document.children?.at(-1)).toMatchObject({ type: 'paragraph', children: [{ value: 'END' }] });
        expect(document.children?.[0]).toMatchObject({ type: 'heading', depth: 1 });
        const html = nodesOf(document).filter(({ type }) => type === 'html');
        expect(html.map(({ value = '' }) => value.slice(0, 9))).toEqual(['<details>', '</details']);
        expect(topLevel(document).filter((type) => type === 'html')).toHaveLength(2);
      }),
      { numRuns: scaled(400), examples },
    );
  });

  test('code is exactly the given text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = text
          .toWellFormed()
          .replaceAll(/\r\n?/g, '\n')
          .replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\ufffd');
        const [block] = parseGfm(fence(text, 'diff')).children ?? [];
        expect(block).toMatchObject({ type: 'code', lang: 'diff', value: clean.replace(/\n+$/, '') });
        const span = parseGfm(`a ${codeSpan(text)} b`).children?.[0]?.children?.[1];
        const line = clean.replaceAll(/\s+/g, ' ').trim();
        if (line !== '') expect(span).toMatchObject({ type: 'inlineCode', value: line });
      }),
      { numRuns: scaled(300), examples },
    );
  });

  test('a line shows the characters of its text and nothing else', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = text
          .toWellFormed()
          .replaceAll(/[^\P{Cc}\n\t\r]|\p{Bidi_Control}/gu, '\ufffd')
          .replaceAll(/\s+/g, ' ')
          .trim();
        const { children = [] } = parseGfm(escapeLine(text));
        expect(children.map(({ type }) => type)).toEqual(clean === '' ? [] : ['paragraph']);
        expect(children.map(textOfNode).join('')).toBe(clean);
      }),
      { numRuns: scaled(300), examples },
    );
  });
});

describe('Markdown of ordinary texts', () => {
  test('keeps headings, lists, tables, code, emphasis and links', () => {
    const answer = `# Result

It **works**: see \`a_b()\` in src/my_file.ts, [the docs](https://docs.example/a_b?x=1&y=2) and https://x.example/.

1. First
   - nested *twice*
2. Second

- [x] done

| name | value |
|---|---|
| a | \`1\` |

\`\`\`ts
const a = \`x\`;
\`\`\`

> quoted
> more`;
    expect(writeMarkdown(answer)).toBe(`### Result

It **works**: see \`a_b()\` in src/my_file.ts, [the docs](<https://docs.example/a_b?x=1&y=2>) and <https://x.example/>.

1. First
   - nested *twice*
2. Second
- [x] done

| name | value |
| --- | --- |
| a | \`1\` |

\`\`\`ts
const a = \`x\`;
\`\`\`

> quoted
> more`);
  });

  test('typed lines stay lines', () => {
    expect(writeTyped('first\nsecond * 2\n\n- third\n```sh\nls\n```')).toBe(
      'first\\\nsecond \\* 2\n\n\\- third\n\n```sh\nls\n```',
    );
  });
});

test.each([
  ['\n', (text: string) => fence(`${text}x`)],
  ['#', (text: string) => writeHeading(1, `${text}x`)],
])('writes many repetitions of %j in linear time', (piece, write) => {
  expect(growthOf(20_000, (chars) => piece.repeat(chars), write)).toBeLessThan(LINEAR);
});
