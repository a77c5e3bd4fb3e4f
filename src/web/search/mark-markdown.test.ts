import { expect, test } from 'vitest';
import { markProse } from './mark-markdown.ts';

const plain = (text: string) => ({ text, isMarked: false });
const marked = (text: string) => ({ text, isMarked: true });

test('a line of an excerpt is read without the signs of Markdown', () => {
  expect(markProse([[plain('## The '), marked('test'), plain(' run')]])).toEqual([
    { form: 'heading', runs: [{ form: 'text', parts: [plain('The '), marked('test'), plain(' run')] }] },
  ]);
  expect(markProse([[plain('- **Always** run `npm '), marked('test'), plain('` again')]])[0]?.runs).toEqual([
    { form: 'text', parts: [plain('• ')] },
    { form: 'strong', parts: [plain('Always')] },
    { form: 'text', parts: [plain(' run ')] },
    { form: 'code', parts: [plain('npm '), marked('test')] },
    { form: 'text', parts: [plain(' again')] },
  ]);
});

test('emphasis is read as such, and stars in sums and paths are not', () => {
  expect(markProse([[plain('was *added* to')]])[0]?.runs.map(({ form }) => form)).toEqual(['text', 'emphasis', 'text']);
  for (const text of ['2 * 3 * 4', 'src/*.ts and test/*.ts', 'a*b*c', 'SELECT * FROM *'])
    expect(markProse([[plain(text)]])[0]?.runs).toEqual([{ form: 'text', parts: [plain(text)] }]);
});

test('a match may begin within a sign and end after it', () => {
  expect(markProse([[plain('a *'), marked('*bold** word')]])[0]?.runs).toEqual([
    { form: 'text', parts: [plain('a ')] },
    { form: 'strong', parts: [marked('bold')] },
    { form: 'text', parts: [marked(' word')] },
  ]);
});

test('code between fences is code, and the fences are left out', () => {
  const forms = (...lines: readonly string[]) =>
    markProse(lines.map((text) => [plain(text)])).map(({ form, runs }) => `${form}: ${runs[0]?.parts[0]?.text}`);
  expect(forms('see', '```json', '- "a": **1**', '```', 'done')).toEqual([
    'text: see',
    'code: - "a": **1**',
    'text: done',
  ]);
  expect(forms('```', 'x', '```')).toEqual(['code: x']);
  expect(forms('see', '```ts', 'let x…')).toEqual(['text: see', 'code: let x…']);
});

test('signs that are not complete stay', () => {
  const lines = ['it`s here', '```', '#hashtag', '-1 degree', '2 ** 3', 'src/**/*.ts', '``a`b``', ''];
  for (const text of lines) {
    const parts = text === '' ? [] : [plain(text)];
    expect(markProse([parts])).toEqual([{ form: 'text', runs: text === '' ? [] : [{ form: 'text', parts }] }]);
  }
});
