import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHistory, readSessionsIndex } from './session-lists.ts';

const REAL = join(import.meta.dirname, '../../../../shared/fixtures/real/chloebrett+slay/.claude/history.jsonl');

describe('history.jsonl', () => {
  it('yields prompts with pasted content', () => {
    const line = {
      display: 'brew [Pasted text #1]',
      pastedContents: {
        '1': { id: 1, type: 'text', content: 'oolong' },
        '2': { type: 'image', contentHash: 'h' },
        '3': 0,
      },
      timestamp: 1767312000000,
      project: '/home/ada/tea',
      sessionId: '5e55',
    };
    expect(readHistory(`${JSON.stringify(line)}\n`)).toEqual({
      value: [
        {
          lineNumber: 1,
          display: 'brew [Pasted text #1]',
          timestampMs: 1767312000000,
          project: '/home/ada/tea',
          sessionId: '5e55',
          pasted: [
            { id: '1', type: 'text', content: 'oolong', contentHash: null, mediaType: null, filename: null },
            { id: '2', type: 'image', content: null, contentHash: 'h', mediaType: null, filename: null },
          ],
        },
      ],
      problems: new Map(),
    });
  });

  it('counts lines that are not prompts', () => {
    const { value, problems } = readHistory('{"display":"a"}\n{"project":"/"}\nno\n');
    expect(value.map((entry) => [entry.lineNumber, entry.display])).toEqual([[1, 'a']]);
    expect(Object.fromEntries(problems)).toEqual({ bad_entry: 1, invalid_json: 1 });
  });

  it.runIf(existsSync(REAL))('a real file is read completely', () => {
    const { value, problems } = readHistory(readFileSync(REAL));
    expect(value).toHaveLength(2);
    expect(value.every((entry) => entry.timestampMs !== null && entry.sessionId !== null)).toBe(true);
    expect(problems.size).toBe(0);
  });
});

const entry = {
  sessionId: '5e55',
  fullPath: '/home/ada/.claude/projects/-tea/5e55.jsonl',
  fileMtime: 1767312000000,
  firstPrompt: 'Make tea',
  summary: 'Tea',
  messageCount: 8,
  created: '2026-01-02T00:00:00.000Z',
  modified: '2026-01-02T00:10:00.000Z',
  gitBranch: '',
  projectPath: '/home/ada/tea',
  isSidechain: false,
};
const read = { ...entry, fileMtime: undefined, fileMtimeMs: 1767312000000, customTitle: null };

describe('sessions-index.json', () => {
  it('is read as an object with entries', () => {
    const { value, problems } = readSessionsIndex(
      JSON.stringify({ version: 1, entries: [entry], originalPath: '/home/ada/tea' }),
    );
    expect(value).toEqual({ version: 1, originalPath: '/home/ada/tea', entries: [read] });
    expect(problems.size).toBe(0);
  });

  it('is read as a bare array', () => {
    expect(readSessionsIndex(JSON.stringify([entry])).value).toEqual({
      version: null,
      originalPath: null,
      entries: [read],
    });
  });

  it('keeps valid entries beside invalid ones, and valid fields beside invalid ones', () => {
    const { value, problems } = readSessionsIndex(
      JSON.stringify({
        version: 'one',
        entries: [{ sessionId: 's', messageCount: 'many' }, { summary: 'x' }, 7, null],
      }),
    );
    expect(value.version).toBeNull();
    expect(value.entries).toHaveLength(1);
    expect(value.entries[0]).toMatchObject({ sessionId: 's', messageCount: null, summary: null });
    expect(problems).toEqual(new Map([['bad_entry', 3]]));
  });

  it.each([
    ['{', 'invalid_json'],
    ['"text"', 'wrong_shape'],
  ])('%j yields nothing and a problem', (text, problem) => {
    const { value, problems } = readSessionsIndex(text);
    expect(value.entries).toEqual([]);
    expect([...problems]).toEqual([[problem, 1]]);
  });

  it('reads no field from a prototype', () => {
    const text = '{"entries":[{"__proto__":{"sessionId":"s"}}]}';
    expect(readSessionsIndex(text).problems).toEqual(new Map([['bad_entry', 1]]));
  });
});
