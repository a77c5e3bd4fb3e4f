import { expect, test } from 'vitest';
import { hitForm } from './hit-form.ts';

const call = (subject: string, status = 'ok', exit_code: number | null = null) => ({ subject, status, exit_code });
const form = (
  kind: 'input' | 'output' | 'prompt' | 'title',
  tool_name: string | null = null,
  input_field: string | null = null,
  of: ReturnType<typeof call> | null = null,
) => hitForm({ kind, tool_name, input_field, call: of });

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
