import { describe, expect, test } from 'vitest';
import { accept, spotAt, suggest } from './complete.ts';

/** `|` is the caret. */
function at(marked: string) {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  return { text, caret, spot: spotAt(text, caret) };
}

const MODELS = [
  { value: 'claude-opus-5-5', sessions: 7 },
  { value: 'claude-sonnet-5', sessions: 3 },
];
const BRANCHES = [
  { value: 'main', sessions: 9 },
  { value: 'fix (again)', sessions: 1 },
  { value: 'a "quoted" one', sessions: 1 },
];

function inserts(marked: string, known: readonly { value: string; sessions: number }[] = []): readonly string[] {
  const { spot } = at(marked);
  return spot === null ? [] : suggest(spot, known).map(({ insert }) => insert);
}

describe('the caret position', () => {
  test.each([
    ['|', { kind: 'word', typed: '' }],
    ['fer|', { kind: 'word', typed: 'fer' }],
    ['ferry |', { kind: 'word', typed: '' }],
    ['ferry -mo|', { kind: 'word', typed: 'mo' }],
    ['(mo|', { kind: 'word', typed: 'mo' }],
    ['(|', { kind: 'word', typed: '' }],
    ['model:|', { kind: 'value', field: 'model', typed: '' }],
    ['ferry -model:Op| times', { kind: 'value', field: 'model', typed: 'op' }],
    ['branch:"fix ag|', { kind: 'value', field: 'branch', typed: 'fix ag' }],
    ['cost>|', { kind: 'value', field: 'cost', typed: '' }],
    ['has:commit,err|', { kind: 'value', field: 'has', typed: 'err', given: ['commit'] }],
    ['workspace_id:ha|', { kind: 'value', field: 'workspace', typed: 'ha' }],
  ])('%s', (marked, expected) => {
    expect(at(marked).spot).toMatchObject(expected);
  });

  test.each(['"off by|', '/time.*out/|', '*"part|', 'a OR|'])('%s is not completed', (marked) => {
    expect(at(marked).spot).toBeNull();
  });

  test('a name that is not a field is a word', () => {
    expect(inserts('std:|')).toEqual([]);
  });
});

describe('suggestions', () => {
  test('names of fields, the usual ones first', () => {
    expect(inserts('|').slice(0, 3)).toEqual(['workspace:', 'after:', 'has:']);
    expect(inserts('to|')).toEqual(['tool:', 'tokens>', 'has:todo']);
    expect(inserts('commi|')).toEqual(['commit:', 'has:commit']);
    expect(inserts('ferry|')).toEqual([]);
  });

  test('values of a choice that are not used yet', () => {
    expect(inserts('is:|')).toEqual(['live', 'ended', 'pinned', 'failed', 'unpriced', 'archived']);
    expect(inserts('has:commit,com|')).toEqual(['compaction']);
  });

  test('known values: those that start with the text, then those that contain it', () => {
    expect(inserts('model:son|', MODELS)).toEqual(['claude-sonnet-5']);
    expect(inserts('model:CLAUDE|', MODELS)).toEqual(['claude-opus-5-5', 'claude-sonnet-5']);
    expect(inserts('branch:|', BRANCHES)).toEqual(['main', '"fix (again)"']);
  });

  test('dates and numbers as examples', () => {
    expect(inserts('after:|')).toContain('7d');
    expect(inserts('before:y|')).toEqual(['yesterday', 'today', '1y', 'monday']);
    expect(inserts('cost>|')).toContain('5');
    expect(inserts('exit:1|')).toEqual(['1', '127', '130']);
  });
});

describe('accepting a suggestion', () => {
  test.each([
    ['to|', 0, 'tool:|'],
    ['ferry ha| times', 0, 'ferry has:| times'],
    ['is:li|', 0, 'is:live |'],
    ['-is:li| ferry', 0, '-is:live |ferry'],
    ['(is:li|)', 0, '(is:live |)'],
    ['has:commit,comp|', 0, 'has:commit,compaction |'],
    ['branch:"fix|', 1, 'branch:"fix (again)" |'],
    ['branch:|', 0, 'branch:main |'],
    ['commi|', 1, 'has:commit |'],
  ])('%s', (marked, choice, expected) => {
    const { text, spot } = at(marked);
    if (spot === null) throw new Error('no spot');
    const list = suggest(spot, marked.startsWith('branch') ? BRANCHES : []);
    const chosen = list[marked.includes('"fix') ? 0 : choice];
    if (chosen === undefined) throw new Error('no suggestion');
    const done = accept(text, spot, chosen);
    expect(`${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`).toBe(expected);
  });
});
