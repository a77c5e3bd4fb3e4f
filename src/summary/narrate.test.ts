import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { narrate } from './narrate.ts';
import { tallyShell } from './shell-work.ts';
import { failed, inputWith, model, NO_SHELL, person, ran } from './testing/summary-input.ts';

const FILE = { reads: 1, writes: 2, linesAdded: 12, linesRemoved: 3 };

describe('narrate', () => {
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
          ran('npm test 2>&1 | tail -5', 'Tests  32 passed (32)'),
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
        '2 prompts in all, the last: “Now update the README too.” ' +
        'The last answer: “The login test waits for the session now. Shall I push it?” ' +
        'Decisions: “Which store?” → “SQLite”. ' +
        'Plans: 1 approved, 2 rejected. ' +
        'Reasoning: “The root cause is a missing `await` in login().” ' +
        'Edited src/login.ts (+12 −3). ' +
        'Tests: npm test: 2 calls, 1 passed, 1 failed, the last passed (32 tests). ' +
        '2 commits: abc1234 “fix: wait” and one without output. ' +
        'Commands: npm run build (1 call). ' +
        'Errors: 1 command failed (npm test). ' +
        'Open: 1 to-do not done: “Write the changelog”; it ended with the question “Shall I push it?”',
    );
    expect(sections.open_ends).toHaveLength(2);
    expect(workKind).toBe('debugging');
  });

  // Finding 2.2
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
      'Asked “What is a monad?”: answered. The last answer: “A monoid in the category of endofunctors.”',
    ],
    [
      'a prompt without an answer',
      inputWith({ said: [person('Rename the basket')] }),
      'Rename the basket',
      'Asked “Rename the basket”: no answer. Open: the last prompt has no answer.',
    ],
    [
      'only commands of the client',
      inputWith({ said: [{ by: 'command', text: '<command-name>/model</command-name>', ending: '' }] }),
      'Session without a prompt',
      'Only client commands: /model.',
    ],
  ])('has little to say about %s', (_, input, title, text) => {
    expect(narrate(input)).toMatchObject({ title, text });
  });

  // Finding 2.8
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
    ['<system-reminder>Be kind.</system-reminder>\nAdd a test for rounding', 'Add a test for rounding'],
    ['[Image #1] Please move the button to the left.', 'Move the button to the left'],
    ['I would like you to **rewrite** `parse()` in [Rust](https://rust-lang.org).', 'Rewrite parse() in Rust'],
    ['<command-name>/review</command-name><command-args>PR 12</command-args>', '/review PR 12'],
    ['Fix this:\n```\nTypeError\n```\nin the basket', 'Fix this: in the basket'],
    ['Räum bitte den Warenkorb auf. Danach teste.', 'Räum bitte den Warenkorb auf'],
  ])('turns %j into a title', (prompt, title) => {
    expect(narrate(inputWith({ said: [person(prompt)] })).title).toBe(title);
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
    expect(text).toContain('Errors: 1 other tool call failed (Grep); API error 529 overloaded_error (4 times).');
  });

  it('produces the same text for the same rows, whatever they contain', async () => {
    const utterance = fc.record({
      by: fc.constantFrom('person', 'model', 'command', 'interruption', 'error'),
      text: fc.string({ unit: 'binary', maxLength: 300 }),
      ending: fc.string({ unit: 'binary', maxLength: 300 }),
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
