import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { narrate } from './narrate.ts';
import { failed, inputWith, model, person, ran } from './testing/summary-input.ts';

const FILE = { reads: 1, writes: 2, linesAdded: 12, linesRemoved: 3 };

describe('narrate', () => {
  it('tells what was asked, what came of it, and what is left', () => {
    const { title, text, sections } = narrate(
      inputWith({
        opening: [
          person('Hey Claude, can you please fix the flaky login test?'),
          model('I look at the test.'),
          person('Now update the README too.'),
          model('Done! The login test waits for the session now. Shall I push it?'),
        ],
        files: [{ path: '/home/ada/shop/src/login.ts', ...FILE }],
        commands: [
          failed('npm test', 'Tests  2 failed | 30 passed (32)'),
          ran('npm test 2>&1 | tail -5', 'Tests  32 passed (32)'),
          ran('npm run build'),
          ran('git add -A && git commit -m "fix: wait"', '[main abc1234] fix: wait'),
        ],
        commits: [{ sha: 'abc1234def', subject: 'fix: wait' }],
        todos: [
          { text: 'Fix the test', status: 'completed' },
          { text: 'Write the changelog', status: 'pending' },
        ],
      }),
    );
    expect(title).toBe('Fix the flaky login test');
    expect(text).toBe(
      'Asked “Hey Claude, can you please fix the flaky login test?”: 1 file changed (+12 −3), tests passed and 1 commit. ' +
        'Then asked “Now update the README too.” ' +
        'The last answer: “The login test waits for the session now. Shall I push it?” ' +
        'Changed src/login.ts (+12 −3). ' +
        'Tests: npm test ran twice, failed once, in the end passed (32). ' +
        '1 commit: abc1234 “fix: wait”. ' +
        'Ran npm run build. ' +
        'Errors: 1 command failed (npm test). ' +
        'Open: 1 to-do not done: “Write the changelog”; it ended with the question “Shall I push it?”',
    );
    expect(sections.open_ends).toHaveLength(2);
  });

  it.each([
    ['nothing at all', inputWith(), 'Empty session', 'Nothing was said in this session.'],
    [
      'a question',
      inputWith({ opening: [person('What is a monad?'), model('A monoid in the category of endofunctors.')] }),
      'What is a monad?',
      'Asked “What is a monad?”: answered. The last answer: “A monoid in the category of endofunctors.”',
    ],
    [
      'a prompt without an answer',
      inputWith({ opening: [person('Rename the basket')] }),
      'Rename the basket',
      'Asked “Rename the basket”: no answer. Open: the last prompt has no answer.',
    ],
    [
      'only commands of the client',
      inputWith({ opening: [{ by: 'command', text: '<command-name>/model</command-name>', ending: '' }] }),
      '/model',
      'Only commands of the client: /model.',
    ],
  ])('says little of %s', (_, input, title, text) => {
    expect(narrate(input)).toMatchObject({ title, text });
  });

  it('takes the title of the client before the prompt', () => {
    expect(narrate(inputWith({ clientTitle: 'Basket rounding', opening: [person('fix it')] })).title).toBe(
      'Basket rounding',
    );
  });

  it('asks the first prompt that says something for the title', () => {
    const opening = [person('Hey'), model('Hello!'), person('thank you'), person('Can you audit this codebase?')];
    expect(narrate(inputWith({ opening })).title).toBe('Audit this codebase');
  });

  it.each([
    ['Implement the following plan:\n\n# Move the basket\n\n## Context', 'Implement the plan: Move the basket'],
    ['<scheduled-task name="nightly" file="/x">do it</scheduled-task>', 'Scheduled task nightly'],
    ['<system-reminder>Be kind.</system-reminder>\nAdd a test for rounding', 'Add a test for rounding'],
    ['[Image #1] Please move the button to the left.', 'Move the button to the left'],
    ['I would like you to **rewrite** `parse()` in [Rust](https://rust-lang.org).', 'Rewrite parse() in Rust'],
    ['<command-name>/review</command-name><command-args>PR 12</command-args>', '/review PR 12'],
    ['Fix this:\n```\nTypeError\n```\nin the basket', 'Fix this: in the basket'],
    ['Räum bitte den Warenkorb auf. Danach teste.', 'Räum bitte den Warenkorb auf'],
  ])('makes a title of %j', (prompt, title) => {
    expect(narrate(inputWith({ opening: [person(prompt)] })).title).toBe(title);
  });

  it.each([
    [
      'tests that fail at the end',
      { commands: [ran('pytest -q', '1 failed, 3 passed in 0.1s')] },
      'the tests failed at the end',
    ],
    [
      'an interruption',
      { opening: [person('Go on'), { by: 'interruption', text: '[Request interrupted', ending: '' }] },
      'it was interrupted',
    ],
    [
      'an error of the API',
      { opening: [person('Go on'), { by: 'error', text: 'API Error: 529 Overloaded', ending: '' }] },
      'it ended with an error of the API: “API Error: 529 Overloaded”',
    ],
  ] as const)('counts %s among the open ends', (_, parts, end) => {
    expect(narrate(inputWith(parts)).sections.open_ends).toContain(end);
  });

  it('names what was looked at where nothing was made', () => {
    const { text } = narrate(
      inputWith({
        opening: [person('Where is the discount lost?'), model('In applyDiscount, which gives the total back.')],
        files: [{ ...FILE, path: '/x', writes: 0 }],
        tools: [
          { name: 'Bash', status: 'ok', count: 3 },
          { name: 'Grep', status: 'error', count: 1 },
        ],
        apiErrors: [{ what: '529 overloaded_error', count: 4 }],
      }),
    );
    expect(text).toContain('“Where is the discount lost?”: answered, 1 file read and 3 commands run.');
    expect(text).toContain('Errors: 1 tool call failed (Grep); the API failed with 529 overloaded_error (4 times).');
  });

  it('the same rows give the same words, whatever they hold', () => {
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
    });
    fc.assert(
      fc.property(fc.array(utterance), fc.array(command), fc.option(fc.string()), (opening, commands, clientTitle) => {
        const input = inputWith({ opening, commands, clientTitle });
        const once = narrate(input);
        expect(narrate(structuredClone(input))).toEqual(once);
        expect(once.title.length).toBeGreaterThan(0);
        expect(once.title.length).toBeLessThanOrEqual(100);
        expect(once.title).not.toMatch(/[\n\u001b]/);
      }),
    );
  });
});
