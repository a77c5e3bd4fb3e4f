import { expect, test } from 'vitest';
import { createMentions, diffCompaction, sentencesOf } from './compaction-diff.ts';

const SUMMARY =
  'The user asked to fix the ferry timetable. We changed src/timetable.ts; the winter times are one hour early because of the time zone.';
const HEAD = {
  id: 'c',
  ordinal: 9,
  kind: 'full',
  trigger: 'auto',
  pre_tokens: 100,
  post_tokens: 10,
  summary: SUMMARY,
  summary_ordinal: 10,
};
const row = (ordinal: number, text: string, is_preserved = false) => ({ ordinal, text, is_preserved });

test('strikes out the rule that the summary forgot, and keeps what it mentions', () => {
  const diff = diffCompaction(HEAD, {
    prompts: [
      row(0, 'Fix the ferry timetable. Never skip a test that fails!'),
      row(2, 'yes'),
      row(4, 'Remember the lighthouse keeper.', true),
    ],
    decisions: [row(3, 'Which zone? Europe/Berlin')],
    files: [row(1, '/home/mira/src/timetable.ts'), row(5, '/home/mira/src/harbour.ts')],
    cleared: [],
    is_complete: true,
  });
  expect(diff.items.map(({ kind, is_kept, parts }) => [kind, is_kept, parts.map((part) => part.is_kept)])).toEqual([
    ['prompt', false, [true, false]],
    ['prompt', true, [true]],
    ['prompt', true, [true]],
    ['decision', false, [false]],
    ['file', true, [true]],
    ['file', false, [false]],
  ]);
  expect([diff.kept, diff.lost]).toEqual([3, 3]);
});

test('a cleared result is lost, although there is no summary', () => {
  const none = { prompts: [], decisions: [], files: [], is_complete: true };
  const diff = diffCompaction({ ...HEAD, kind: 'micro', summary: null }, { ...none, cleared: [row(1, 'Read a.ts')] });
  expect([diff.kept, diff.lost]).toEqual([0, 1]);
});

test('words count in any spelling', () => {
  const { hasSentence } = createMentions(SUMMARY);
  expect(hasSentence('FIX  the *ferry* timetable!!')).toBe(true);
  expect(hasSentence('Проверь расписание паромов')).toBe(false);
  expect(createMentions('Проверь расписание паромов, сказал он').hasSentence('расписание паромов')).toBe(true);
});

test('sentences end with marks and lines, and a long prompt has a bounded number of them', () => {
  expect(sentencesOf('One. Two!\n- three\n\n---\nsee v1.2.3')).toEqual(['One.', 'Two!', '- three', 'see v1.2.3']);
  expect(sentencesOf('a\n'.repeat(5_000))).toHaveLength(60);
});
