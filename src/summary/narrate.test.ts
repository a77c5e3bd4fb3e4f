import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import type { NarrativeInput } from '../domain/summary.ts';
import { narrate } from './narrate.ts';
import { tallyShell } from './shell-work.ts';
import { failed, inputWith, model, NO_SHELL, person, ran } from './testing/summary-input.ts';

const FILE = { reads: 1, writes: 2, linesAdded: 12, linesRemoved: 3 };

describe('narrate', () => {
  it('states amended commits apart', async () => {
    const { text, sections } = narrate(
      inputWith({
        shell: await tallyShell([
          ran('git commit -m a', '[main 1a2b3c4] a'),
          ran('git commit --amend -m b', '[main 5d6e7f8] b'),
        ]),
      }),
    );
    expect(text).toContain('1 commit: 1a2b3c4 “a”.\n1 amended commit: 5d6e7f8 “b”.');
    expect(sections.commits).toEqual(['1a2b3c4 “a”', 'amended 5d6e7f8 “b”']);
  });

  it('states the request, the result and the open ends', async () => {
    const { title, text, sections, workKind } = narrate(
      inputWith({
        said: [
          person('Hey Claude, can you please fix the flaky login test?'),
          model('I look at the test.'),
          person('Now update the README too.'),
          model('Done! The login test waits for the session now. Shall I push it?'),
        ],
        files: [{ path: '/home/ada/shop/src/login.ts', ...FILE }],
        shell: await tallyShell([
          failed('npm test', 'Tests  2 failed | 30 passed (32)'),
          ran('npm test 2>&1 | tail -5', ' Test Files  9 passed (9)\n      Tests  32 passed (32)'),
          ran('npm run build'),
          ran('git add -A && git commit -m "fix: wait"', '[main abc1234] fix: wait'),
          ran('git commit -q -m "fix: more"'),
        ]),
        todos: [
          { text: 'Fix the test', status: 'completed' },
          { text: 'Write the changelog', status: 'pending' },
        ],
        decisions: [{ question: 'Which store?', answer: 'SQLite' }],
        plans: { approved: 1, rejected: 2, isWaiting: false },
        highlights: [{ text: 'The root cause is a missing `await` in login().', from: 'thinking' }],
      }),
    );
    expect(title).toBe('Fix the flaky login test');
    expect(text).toBe(
      'Asked “Hey Claude, can you please fix the flaky login test?”: ' +
        '1 file edited (+12 −3), the last test run passed and 2 commits. ' +
        '2 prompts in all, the last: “Now update the README too.”\n' +
        'The last answer: “The login test waits for the session now. Shall I push it?”\n' +
        'Decisions: “Which store?” → “SQLite”.\n' +
        'Plans: 1 approved, 2 rejected.\n' +
        'Reasoning: “The root cause is a missing `await` in login().”\n' +
        'Edited src/login.ts (+12 −3).\n' +
        'Tests: npm test: 2 calls, 1 passed, 1 failed, the last passed (32 tests).\n' +
        '2 commits: abc1234 “fix: wait” and one without output.\n' +
        'Commands: npm run build (1 call).\n' +
        'Errors: 1 command failed (npm test).\n' +
        'Open: 1 to-do not done: “Write the changelog”; it ended with the question “Shall I push it?”',
    );
    expect(sections.open_ends).toHaveLength(2);
    expect(workKind).toBe('debugging');
  });

  it('includes the last prompt, the last answer and every test run, regardless of session length', async () => {
    const said = Array.from({ length: 500 }, (_, n) => [
      person(`Please do step number ${n} now.`),
      model('Ok.'),
    ]).flat();
    const runs = Array.from({ length: 11_000 }, (_, n) => (n % 100 === 0 ? failed('npm test') : ran('npm test')));
    const { text } = narrate(inputWith({ said, shell: await tallyShell(runs) }));
    expect(text).toContain('500 prompts in all, the last: “Please do step number 499 now.”');
    expect(text).toContain('The last answer: “Ok.”');
    expect(text).toContain('npm test: 11,000 calls, 10,890 passed, 110 failed, the last passed.');
  });

  it.each([
    ['nothing at all', inputWith(), 'Empty session', 'No prompts and no answers.'],
    [
      'a question',
      inputWith({ said: [person('What is a monad?'), model('A monoid in the category of endofunctors.')] }),
      'What is a monad?',
      'Asked “What is a monad?”: answered.\nThe last answer: “A monoid in the category of endofunctors.”',
    ],
    [
      'a prompt without an answer',
      inputWith({ said: [person('Rename the basket')] }),
      'Rename the basket',
      'Asked “Rename the basket”: no answer.\nOpen: the last prompt has no answer.',
    ],
    [
      'only commands of the client',
      inputWith({ said: [{ by: 'command', text: '<command-name>/model</command-name>', ending: '' }] }),
      'Session without a prompt',
      'Only client commands: /model.',
    ],
  ])('is short for %s', (_, input, title, text) => {
    expect(narrate(input)).toMatchObject({ title, text });
  });

  it.each(['/clear', '{"task_id":"af94988"}', '<command-name>/clear</command-name>'])(
    'ignores a client title like %s',
    (clientTitle) => {
      expect(narrate(inputWith({ clientTitle, said: [person('Move the basket to the left')] })).title).toBe(
        'Move the basket to the left',
      );
    },
  );

  it('prefers the title of the client to the prompt', () => {
    expect(narrate(inputWith({ clientTitle: 'Basket rounding', said: [person('fix it')] })).title).toBe(
      'Basket rounding',
    );
  });

  it('takes the title from the first meaningful prompt', () => {
    const said = [person('Hey'), model('Hello!'), person('thank you'), person('Can you audit this codebase?')];
    expect(narrate(inputWith({ said })).title).toBe('Audit this codebase');
    expect(narrate(inputWith({ said })).text).toContain('3 prompts in all, the last: “Can you audit this codebase?”');
  });

  it.each([
    ['Implement the following plan:\n\n# Move the basket\n\n## Context', 'Move the basket'],
    ['Implement the following plan:\n\n# Plan: Move the basket', 'Move the basket'],
    ['Implement the following plan:\n\n# Plan\n\n## Move the basket', 'Move the basket'],
    ['<scheduled-task name="nightly" file="/x">do it</scheduled-task>', 'Scheduled task nightly'],
    ['make the <div> red', 'Make the <div> red'],
    ['<div class="a">x</div> is not centered, why?', '<div class="a">x</div> is not centered, why?'],
    ['```html\n<b>x</b>\n```', '<b>x</b>'],
    ['```ts\nexport const a = 1;\n```', 'export const a = 1;'],
    ['Rename __init__.py and all of src/**/*.ts', 'Rename __init__.py and all of src/**/*.ts'],
    ['delete *.log and *.tmp', 'Delete *.log and *.tmp'],
    ['what are *args and **kwargs?', 'What are *args and **kwargs?'],
    ['make *this* **really bold** please', 'Make this really bold please'],
    ['1. fix a\n2. fix b\n3. push', 'Fix a / fix b'],
    ['# Task\n\nFix the login.', 'Task / Fix the login'],
    ['please fix\nthe login form', 'Fix the login form'],
    ['{"a": [1, "}"]}\nWhy is this rejected?', 'Why is this rejected?'],
    ['{"task_id":"42","title":"Fix the login"}', '{"task_id":"42","title":"Fix the login"}'],
    ['[{"id": 1}]', '[{"id": 1}]'],
    ['[WIP] move the basket', '[WIP] move the basket'],
    ['package.json has two licenses', 'package.json has two licenses'],
    ['iOS build is broken', 'iOS build is broken'],
    ['Hi there, fix the login', 'Fix the login'],
    ['Hi there fix the login', 'Hi there fix the login'],
    ['hey there! can you fix the login?', 'Fix the login'],
    ['Hello Ada, fix the login', 'Fix the login'],
    ['hello again, fix the login', 'Fix the login'],
    ['Hi, there is a bug', 'There is a bug'],
    ['Hello world example does not compile', 'Hello world example does not compile'],
    ['OK button is not aligned', 'OK button is not aligned'],
    ['Great work on the basket', 'Great work on the basket'],
    ['ok, now please fix the login', 'Fix the login'],
    ['hey claude please fix the login', 'Fix the login'],
    ['So far the tests are slow', 'So far the tests are slow'],
    ['修复登录错误', '修复登录错误'],
    ['می‌خواهم این را درست کنم', 'می‌خواهم این را درست کنم'],
    ['👩‍💻 is shown as two characters', '👩‍💻 is shown as two characters'],
    ['👍', '👍'],
    ['C:\\Users\\ada\\shop is read-only', 'C:\\Users\\ada\\shop is read-only'],
    ['[Image #1] Please move the button to the left.', 'Move the button to the left'],
    ['I would like you to **rewrite** `parse()` in [Rust](https://rust-lang.org).', 'Rewrite parse() in Rust'],
    ['<command-name>/review</command-name><command-args>PR 12</command-args>', '/review PR 12'],
    ['Fix this:\n```\nTypeError\n```\nin the basket', 'Fix this: … in the basket'],
    ['```\nTypeError\n```\nWhy does it fail?', 'Why does it fail?'],
    ['```npm test``` fails\nWhy?', 'Npm test fails'],
    ['Why does it fail?\n```\nTypeError\n```', 'Why does it fail?'],
    ['Good morning! Hope you are well. I would like you to fix the basket.', 'Fix the basket'],
    ['<context>\nThe basket is slow.\n</context>\nWhy?', 'The basket is slow'],
    ['Räum bitte den Warenkorb auf. Danach teste.', 'Räum bitte den Warenkorb auf'],
  ])('turns %j into a title', (prompt, title) => {
    expect(narrate(inputWith({ said: [person(prompt)] })).title).toBe(title);
  });

  it('titles a session by its images if no prompt has text, and by shell commands if there is no prompt', () => {
    const { conversation } = inputWith({ said: [person('[Image #1] [Image #2]'), model('A cat.')] });
    const titleOf = (parts: Partial<NarrativeInput['conversation']>) =>
      narrate(inputWith({ conversation: { ...conversation, ...parts } })).title;
    expect(titleOf({ attached: { images: 2, documents: 0 } })).toBe('2 images without text');
    expect(titleOf({ attached: { images: 1, documents: 0 } })).toBe('Image without text');
    expect(titleOf({ attached: { images: 1, documents: 3 } })).toBe('Image and 3 documents without text');
    expect(narrate(inputWith({ conversation })).text).toContain('The prompt contains no text.');
    const onlyShell = { requests: [], prompts: 0, lastPrompt: null, shellInputs: ['! npm test'] };
    expect(titleOf(onlyShell)).toBe('! npm test');
    const { text } = narrate(inputWith({ conversation: { ...conversation, ...onlyShell, clientCommands: ['/exit'] } }));
    expect(text).toContain('Only commands: ! npm test and /exit.');
  });

  it('prefers a later request in words to JSON, but not a greeting', () => {
    const titleOf = (...said: string[]) => narrate(inputWith({ said: said.map(person) })).title;
    expect(titleOf('{"a":1}', 'Why is this rejected?')).toBe('Why is this rejected?');
    expect(titleOf('{"a":1}', 'thanks')).toBe('{"a":1}');
    expect(titleOf('修复登录错误', 'Now push it to the server')).toBe('修复登录错误');
  });

  it.each([
    [
      'tests that fail at the end',
      { shell: { ...NO_SHELL, lastTest: { outcome: 'failed', passed: 3, failed: 1 } } },
      'the last test run failed',
    ],
    [
      'an interruption',
      { said: [person('Go on'), { by: 'interruption', text: '[Request interrupted', ending: '' }] },
      'it was interrupted at the end',
    ],
    [
      'an error of the API',
      { said: [person('Go on'), { by: 'error', text: 'API Error: 529 Overloaded', ending: '' }] },
      'it ended with an API error: “API Error: 529 Overloaded”',
    ],
  ] as const)('counts %s among the open ends', (_, parts, end) => {
    expect(narrate(inputWith(parts)).sections.open_ends).toContain(end);
  });

  it('describes what was read if nothing was created', () => {
    const { text } = narrate(
      inputWith({
        said: [person('Where is the discount lost?'), model('In applyDiscount, which gives the total back.')],
        files: [{ ...FILE, path: '/x', writes: 0 }],
        shell: { ...NO_SHELL, runs: 3 },
        tools: [
          { name: 'Bash', status: 'ok', count: 3 },
          { name: 'Grep', status: 'error', count: 1 },
        ],
        apiErrors: [{ what: '529 overloaded_error', count: 4 }],
      }),
    );
    expect(text).toContain('“Where is the discount lost?”: answered, 1 file read and 3 commands run.');
    expect(text).toContain('Errors: 1 tool call failed (Grep); API error 529 overloaded_error (4 times).');
  });

  it('counts every failed command once, whether its program is known or not', () => {
    const failed = ['git commit', 'knip', 'tsc', 'vite'].map((label, at) => ({ label, calls: 4 - at }));
    const errors = (shell: Partial<NarrativeInput['shell']>, shellErrors: number) =>
      narrate(
        inputWith({
          shell: { ...NO_SHELL, ...shell },
          tools: [{ name: 'Bash', status: 'error', count: shellErrors }],
        }),
      ).sections.errors;
    expect(errors({ failures: 12, failed }, 12)).toEqual([
      '12 commands failed (git commit 4 times, knip 3 times, tsc 2 times and 3 more)',
    ]);
    expect(errors({ failures: 3, failed: [{ label: 'go vet', calls: 1 }] }, 3)).toEqual([
      '3 commands failed (go vet and 2 more)',
    ]);
    expect(errors({ failures: 1, failed: [] }, 1)).toEqual(['1 command failed']);
    // The client rejected two commands before they ran.
    expect(errors({ failures: 1, failed: [] }, 3)).toEqual(['1 command failed', '2 other tool calls failed (Bash)']);
    expect(errors({ failures: 0, failed: [] }, 2)).toEqual(['2 tool calls failed (Bash)']);
  });

  it('does not call an empty answer an answer', () => {
    const input = inputWith({ said: [person('Think about it now'), model(' \n')] });
    expect(narrate(input).text).toBe('Asked “Think about it now”: no answer.');
  });

  it('does not call an interrupted request answered', () => {
    const stopped = { by: 'interruption', text: '[Request interrupted by user]', ending: '' } as const;
    const lead = (said: Parameters<typeof inputWith>[0]) => narrate(inputWith(said)).text.split('\n', 1)[0];
    expect(lead({ said: [person('Fix the basket now'), model('Let me look.'), stopped] })).toBe(
      'Asked “Fix the basket now”: interrupted.',
    );
    const command = { by: 'command', text: '<command-name>/init</command-name>', ending: '' } as const;
    expect(lead({ said: [command, model('Let me look.'), stopped], shell: { ...NO_SHELL, runs: 2 } })).toBe(
      'Asked “/init”: interrupted and 2 commands run.',
    );
    expect(lead({ said: [person('Fix the basket now'), model('Done!'), person('Push it too'), stopped] })).toContain(
      'Asked “Fix the basket now”: answered.',
    );
    expect(
      lead({ said: [person('Fix the basket now'), model('Let me'), stopped, person('Push it too'), model('Done!')] }),
    ).toContain('Asked “Fix the basket now”: interrupted.');
  });

  it('does not call the request answered that has no answer', () => {
    const lead = (...said: Parameters<typeof person>[0][]) =>
      narrate(inputWith({ said: said.map((text) => (text.startsWith('A:') ? model(text) : person(text))) })).text.split(
        '.',
        1,
      )[0];
    expect(lead('Hi', 'A: Hello!', 'Fix the basket now')).toBe('Asked “Fix the basket now”: no answer');
    expect(lead('Fix the basket now', 'A: Done!', 'Fix the basket now')).toBe('Asked “Fix the basket now”: answered');
    expect(lead('Hi', 'A: Hello!', 'Fix the basket now', 'A: Done!')).toBe('Asked “Fix the basket now”: answered');
    expect(lead('Fix the basket now', 'A: Done!', 'Thanks a lot')).toBe('Asked “Fix the basket now”: answered');
  });

  it.each([
    [
      'Changed all files:\n\n1. **.gitignore** - added IDE settings',
      'Changed all files: .gitignore - added IDE settings',
    ],
    ['*.log files are removed now.', '*.log files are removed now.'],
    ['## Summary\n\n## Fixes\n- one\n- two', 'Fixes / one / two'],
    ['Ran:\n- a\n```\nx\n```\n- b', 'Ran: a … b'],
    ['{"ok":true}', '{"ok":true}'],
    ['✅ **Done:** all *really* fixed in `a*b`.', 'Done: all really fixed in a*b.'],
  ])('quotes the answer %j without Markdown', (answer, quote) => {
    const { text } = narrate(inputWith({ said: [person('Do it now please'), model(answer)] }));
    expect(text).toContain(`The last answer: “${quote}”`);
  });

  it('marks what a quotation leaves out', () => {
    const { text } = narrate(
      inputWith({
        said: [
          person('Is it active?'),
          model(
            '```\nx\n```\nIt is off. Your settings say:\n\n```json\n{}\n```\n\n| a |\n|---|\n\nSo it is missing.\n```\ny\n```',
          ),
        ],
      }),
    );
    expect(text).toContain('The last answer: “It is off. Your settings say: … So it is missing.”');
  });

  it('quotes Japanese sentences as they are written, without a space between them', () => {
    const { text } = narrate(
      inputWith({ said: [person('説明してください。お願いします'), model('はい。画像です。')] }),
    );
    expect(text).toContain('“説明してください。お願いします”');
    expect(text).toContain('“はい。画像です。”');
  });

  it('tells created pull requests from those that the client only linked', () => {
    const made = (number: number) => ({
      number,
      url: `https://github.com/ada/shop/pull/${number}`,
      repository: 'ada/shop',
    });
    const lead = (parts: Parameters<typeof inputWith>[0]) => narrate(inputWith(parts)).text.split('\n')[0];
    expect(lead({ pullRequests: [made(1), made(2)], shell: { ...NO_SHELL, pullRequests: [made(2)] } })).toBe(
      'Pull request #2 created and pull request #1 linked.',
    );
    const others = [3, 4, 5].map(made);
    expect(lead({ pullRequests: [made(1), ...others], shell: { ...NO_SHELL, pullRequests: [made(1)] } })).toBe(
      'Pull request #1 created, pull request #3 linked, pull request #4 linked and 1 more pull request.',
    );
  });

  it('states how a sub-agent ended, not how it was started', () => {
    const helper = { name: null, type: 'Explore', description: null };
    const statuses = ['async_launched', 'running', 'completed', 'killed', null];
    const helpers = statuses.map((status, n) => ({ ...helper, key: `${n}`, status }));
    expect(narrate(inputWith({ helpers })).sections.helpers).toEqual([
      'Explore',
      'Explore',
      'Explore',
      'Explore (killed)',
      'Explore',
    ]);
  });

  it('titles a session as the work of a sub-agent only if nobody else worked', () => {
    const helpers = [{ key: 'a', name: null, type: null, description: null, status: null }];
    const titled = (messages: number) =>
      narrate(inputWith({ helpers, conversation: { ...inputWith().conversation, messages } })).title;
    expect([titled(0), titled(2)]).toEqual(['Work of a sub-agent', 'Session without a prompt']);
  });

  it('produces the same text for the same rows, whatever they contain', async () => {
    const utterance = fc.record({
      by: fc.constantFrom('person', 'model', 'command', 'interruption', 'error'),
      text: fc.string({ unit: anyCharacter, maxLength: 300 }),
      ending: fc.string({ unit: anyCharacter, maxLength: 300 }),
    });
    const command = fc.record({
      command: fc.string({ maxLength: 200 }),
      output: fc.string({ maxLength: 200 }),
      status: fc.constantFrom('ok', 'error', 'denied', 'pending', 'background', 'interrupted'),
      exitCode: fc.option(fc.integer({ min: -1, max: 255 })),
      noted: fc.constant([]),
      at: fc.constant(null),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(utterance),
        fc.array(command),
        fc.option(fc.string()),
        async (said, runs, clientTitle) => {
          const input = inputWith({ said, shell: await tallyShell(runs), clientTitle });
          const once = narrate(input);
          expect(narrate(structuredClone(input))).toEqual(once);
          expect(once.title.length).toBeGreaterThan(0);
          expect(once.title.length).toBeLessThanOrEqual(100);
          expect(once.title).not.toMatch(/[\n\u001b]/);
        },
      ),
    );
  });
});
