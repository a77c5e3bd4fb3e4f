import { expect, test } from 'vitest';
import { commandText, notificationText, outputText } from './client-tags.ts';

test.each([
  [
    '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>',
    '/review src',
  ],
  ['<command-name>/clear</command-name>\n<command-args></command-args>', '/clear'],
  ['<bash-input>npm test</bash-input>', '! npm test'],
  ['<bash-input>never closed', '! never closed'],
  ['an ordinary prompt', 'an ordinary prompt'],
  ['what is <command-name>/x</command-name>?', 'what is <command-name>/x</command-name>?'],
  ['', ''],
])('the command in %j is %j', (text, command) => {
  expect(commandText(text)).toBe(command);
});

test.each([
  ['<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>', 'a\nb'],
  ['<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>', 'a\nb'],
  ['<bash-stdout>add &lt;name&gt; &amp;lt;</bash-stdout>', 'add <name> &lt;'],
  ['<local-command-stdout>a &lt;b</local-command-stdout>', 'a &lt;b'],
  ['<local-command-stdout></local-command-stdout>', ''],
  ['text without tags', 'text without tags'],
])('the output in %j is %j', (text, output) => {
  expect(outputText(text)).toBe(output);
});

test.each([
  [
    '<task-notification>\n<status>completed</status>\n<summary>Agent "Poem" completed</summary>',
    'Agent "Poem" completed',
  ],
  ['<task-notification><status>failed</status></task-notification>', 'failed'],
  ['about <task-notification>', 'about <task-notification>'],
])('the notification %j says %j', (text, words) => {
  expect(notificationText(text)).toBe(words);
});
