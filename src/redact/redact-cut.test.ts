import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';
import { redactCut } from './redact-cut.ts';
import { chars } from './testing/secrets.ts';

const redactor = createRedactor();
const token = `ghp_${chars(36)}`;

describe('a text made out of another one', () => {
  it('is redacted although its first letter was capitalized', () => {
    const capital = token.replace('g', 'G');
    expect(redactCut(redactor, `${capital} does not work`)).toBe('[secret:github-token] does not work');
    expect(redactCut(redactor, `Use ${token}`)).toBe('Use [secret:github-token]');
  });

  it.each([
    [`Use ${token.slice(0, 30)}…`, 'Use …'],
    [`${token.slice(0, 30)}…`, '…'],
    [`Asked “key=${token.slice(0, 30)}…”: answered.`, 'Asked …”: answered.'],
    ['Fix the winter timetable…', 'Fix the winter timetable…'],
    ['Nothing was cut here', 'Nothing was cut here'],
    ['', ''],
  ])('leaves out a long word that was cut: %s', (text, safe) => {
    expect(redactCut(redactor, text)).toBe(safe);
  });
});
