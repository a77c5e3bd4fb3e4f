import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { archivedName, exportName, type Named, titleOf } from './names.ts';

const named = (more: Partial<Named>): Named => ({
  id: '3f2a91c0-1111-4222-8333-444444444444',
  title: null,
  initial_prompt: null,
  git_branch: null,
  ...more,
});

/** Names that are valid on Windows, macOS and Linux, as part of a path, in an archive and in a shell. */
const VALID = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom('con', 'NUL', 'com1', '..', '../../etc/passwd', 'a\u0000b', 'C:\\x', '\ud800', '🚢'.repeat(90)),
  fc.constant(null),
);
const anySession = fc.record({
  id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/),
  title: anyText,
  initial_prompt: anyText,
  git_branch: anyText,
});

describe('names of exported files', () => {
  it.each([
    ['Fix the harbour’s timetable', 'fix-the-harbour-s-timetable-3f2a91c0.html'],
    ['Über Größe: déjà vu', 'uber-gro-e-deja-vu-3f2a91c0.html'],
    ['ﬁne print', 'fine-print-3f2a91c0.html'],
    ['con', 'con-3f2a91c0.html'],
    ['漢字', 'session-3f2a91c0.html'],
    ['../../etc/passwd\r\nX: y', 'etc-passwd-x-y-3f2a91c0.html'],
  ])('%j', (title, name) => {
    expect(exportName(named({ title }), 'html')).toBe(name);
  });

  it('prefers the title to the prompt, and the prompt to the branch', () => {
    const all = { title: 'Title', initial_prompt: 'Prompt', git_branch: 'branch' };
    expect(exportName(named(all), 'json')).toMatch(/^title-/);
    expect(exportName(named({ ...all, title: '…' }), 'json')).toMatch(/^prompt-/);
    expect(exportName(named({ git_branch: 'feature/Sails' }), 'json')).toMatch(/^feature-sails-/);
  });

  it('names a command as typed', () => {
    const initial_prompt = '<command-name>/review</command-name><command-args>src</command-args>';
    expect(exportName(named({ initial_prompt }), 'json')).toBe('review-src-3f2a91c0.json');
  });

  it('I10: is valid on every system for any title, prompt, branch and id', () => {
    fc.assert(
      fc.property(anySession, (session) => {
        const name = exportName(session, 'html');
        expect(name).toMatch(VALID);
        const [, slug = ''] = /^(.+)-[a-z0-9-]{1,8}\.html$/.exec(name) ?? [];
        expect(slug).toMatch(/^[a-z0-9-]{1,80}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('I10: archived files keep their names as far as every system allows', () => {
    expect(archivedName(`projects/x/${named({}).id}.jsonl`)).toBe(`${named({}).id}.jsonl`);
    expect(archivedName('x/aux.txt')).toBe('aux-.txt');
    const ascii = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[\w](?:[\w.-]*[\w-])?$/i;
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (path) => {
        expect(archivedName(path)).toMatch(ascii);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the title of a session', () => {
  it.each([
    ['Fix the timetable', 'Please fix it.', 'Fix the timetable'],
    [null, '  Please fix it.\nAt once.', 'Please fix it.'],
    [' \n', '<command-name>/review</command-name><command-args>src</command-args>', '/review src'],
    ['x'.repeat(300), null, `${'x'.repeat(200)}…`],
    [null, null, 'Untitled session'],
  ])('%j and the prompt %j', (title, initial_prompt, shown) => {
    expect(titleOf({ title, initial_prompt })).toBe(shown);
  });
});
