import { expect, test } from 'vitest';
import { hitForm, hitText } from './hit-form.ts';

const call = (subject: string, status = 'ok', exit_code: number | null = null) => ({ subject, status, exit_code });
const form = (
  kind: 'input' | 'output' | 'prompt' | 'title',
  tool_name: string | null = null,
  input_field: string | null = null,
  of: ReturnType<typeof call> | null = null,
) => hitForm({ kind, tool_name, input_field, call: of, snippet: '' });

test('a command looks like a command, with how it ended', () => {
  expect(form('input', 'Bash', 'command', call('npm test', 'error', 1))).toEqual({
    color: 'run',
    label: 'Bash',
    head: null,
    body: 'command',
    failure: 'exit 1',
  });
  expect(form('output', 'Bash', null, call('npm test', 'error', 1))).toMatchObject({
    color: 'error',
    head: { form: 'command', text: 'npm test' },
    body: 'output',
  });
});

test('a change looks like a change', () => {
  const edited = call('/home/ada/a.ts');
  expect(form('input', 'Edit', 'old_string', edited)).toMatchObject({ body: 'removed', head: { form: 'file' } });
  expect(form('input', 'Edit', 'new_string', edited)).toMatchObject({ body: 'added', color: 'write' });
  expect(form('input', 'Write', 'content', edited).body).toBe('added');
});

test('a file looks like a file', () => {
  expect(form('output', 'Read', null, call('/home/ada/a.ts'))).toMatchObject({
    head: { form: 'file', text: '/home/ada/a.ts' },
    body: 'code',
    failure: null,
  });
});

test('what people and models say', () => {
  expect(form('prompt')).toMatchObject({ color: 'human', label: 'Prompt', body: 'quote' });
  expect(form('title')).toMatchObject({ color: 'system', body: 'prose' });
});

test('a call without anything known about it', () => {
  expect(form('input', null, null, null)).toMatchObject({ label: 'Tool call', head: null, failure: null });
});

test('a message of a teammate is not a prompt, and has no tags', () => {
  const tag = '<teammate-message teammate_id="bo" summary="Map done">';
  const snippet = `${tag}\nThe map is done.\n</teammate-message>`;
  const at = (word: string, from = 0) =>
    [snippet.indexOf(word, from), snippet.indexOf(word, from) + word.length] as const;
  const hit = { kind: 'prompt', tool_name: null, input_field: null, call: null, snippet } as const;
  expect(hitForm(hit)).toMatchObject({ label: 'Teammate', color: 'agent' });
  const shown = hitText({ snippet, highlights: [at('Map'), at('map', tag.length), at('done', tag.length)] });
  expect(shown.snippet).toBe('The map is done.');
  expect(shown.highlights.map(([from, to]) => shown.snippet.slice(from, to))).toEqual(['map', 'done']);
  expect(hitText({ snippet: 'a map', highlights: [[2, 5]] })).toEqual({ snippet: 'a map', highlights: [[2, 5]] });
});

test('a slash command has no tags', () => {
  const snippet =
    '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>all of it</command-args>';
  const from = snippet.indexOf('/commit<') + 1;
  const shown = hitText({
    snippet,
    highlights: [
      [17, 23],
      [from, from + 6],
    ],
  });
  expect(shown).toEqual({ snippet: '/commit\nall of it', highlights: [[1, 7]] });
  expect(hitText({ snippet: 'Why <command-name>?', highlights: [] }).snippet).toBe('Why <command-name>?');
});
