import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHistory } from './history.ts';

const REAL = join(import.meta.dirname, '../../../../shared/fixtures/real/chloebrett+slay/.claude/history.jsonl');

describe('history.jsonl', () => {
  it('gives prompts with what was pasted', () => {
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

  it('counts lines that are no prompt', () => {
    const { value, problems } = readHistory('{"display":"a"}\n{"project":"/"}\nno\n');
    expect(value.map((entry) => [entry.lineNumber, entry.display])).toEqual([[1, 'a']]);
    expect(Object.fromEntries(problems)).toEqual({ bad_entry: 1, invalid_json: 1 });
  });

  it.runIf(existsSync(REAL))('a real one is read whole', () => {
    const { value, problems } = readHistory(readFileSync(REAL));
    expect(value).toHaveLength(2);
    expect(value.every((entry) => entry.timestampMs !== null && entry.sessionId !== null)).toBe(true);
    expect(problems.size).toBe(0);
  });
});
