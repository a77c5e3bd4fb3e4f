import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { createLog } from './log.ts';

const clock = { now: () => new Date('2026-11-15T12:00:00.000Z'), monotonicMs: () => 0 };

function collect(level: 'debug' | 'warn') {
  const lines: string[] = [];
  return { lines, log: createLog({ level, clock, write: (line) => lines.push(line) }) };
}

describe('log', () => {
  it('I5: no value can end a line, break the JSON or move a cursor', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (message, value) => {
        const { lines, log } = collect('debug');
        log.info(message, { [`k${value}`]: value });
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202e]*\n$/);
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', message, [`k${value}`]: value });
      }),
    );
  });

  it('writes only lines at or above its level', () => {
    const { lines, log } = collect('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['c', 'd']);
  });
});
