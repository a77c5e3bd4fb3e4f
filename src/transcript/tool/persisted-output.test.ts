import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../test/support/growth.ts';
import { isPersistedOutput, parsePersistedOutput } from './persisted-output.ts';

const path = '/home/ada/.claude/projects/-tea/5e55/tool-results/b7x.txt';
const tagged = (preview: string) =>
  `<persisted-output>\nOutput too large (48.2KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${preview}\n...\n</persisted-output>`;

describe('the tagged notice', () => {
  it('contains size, path and preview', () => {
    expect(parsePersistedOutput(tagged('cup 1\ncup 2'))).toEqual({
      sizeDescription: '48.2KB',
      filePath: path,
      preview: 'cup 1\ncup 2',
    });
  });

  it('keeps a preview that mentions the tag itself', () => {
    const preview = 'see </persisted-output> and\nOutput too large (1B). Full output saved to: /etc/passwd';
    expect(parsePersistedOutput(tagged(preview))).toMatchObject({ filePath: path, preview });
  });

  it('is parsed without its end, without a preview, and with a Windows path', () => {
    const cut = tagged('cup 1').slice(0, -'1\n...\n</persisted-output>'.length);
    expect(parsePersistedOutput(cut)?.preview).toBe('cup');
    const bare =
      '<persisted-output>\r\nOutput too large (1.6MB). Full output saved to: C:\\tea\\b.txt\r\n</persisted-output>';
    expect(parsePersistedOutput(bare)).toEqual({ sizeDescription: '1.6MB', filePath: 'C:\\tea\\b.txt', preview: '' });
  });

  it('keeps a complete preview', () => {
    const whole = tagged('all').replace('\n...\n', '\n');
    expect(parsePersistedOutput(whole)?.preview).toBe('all');
  });
});

describe('the notice of MCP tools', () => {
  it.each([
    ['61,204 characters', '\nFormat: Plain text'],
    ['900 characters across 4 lines', ''],
  ])('contains size and path: %s', (size, rest) => {
    const text = `Error: result (${size}) exceeds maximum allowed tokens. Output has been saved to ${path}.${rest}`;
    expect(parsePersistedOutput(text)).toEqual({ sizeDescription: size, filePath: path, preview: '' });
  });
});

describe('other texts', () => {
  it.each([
    '',
    'plain',
    '<persisted-output>',
    '<persisted-output>\nnothing here\n</persisted-output>',
    '<persisted-output>\nOutput too large (1KB). Full output saved to: \n</persisted-output>',
    `cat says: ${tagged('x')}`,
    'Error: result was wrong',
    'Error: result (5 cups) exceeds maximum allowed tokens.',
  ])('are not a notice: %j', (text) => {
    expect(isPersistedOutput(text)).toBe(false);
  });

  it('never throw', () => {
    const piece = fc.constantFrom('<persisted-output>', 'Output too large (', ')', 'Full output saved to: ', '\n', 'x');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (parts) => {
        const text = parts.join('');
        expect(isPersistedOutput(text)).toBe(parsePersistedOutput(text) !== null);
      }),
    );
  });

  it('take linear time', () => {
    const hostile = (n: number) => `<persisted-output>${'\nOutput too large ('.repeat(n)}`;
    expect(growthOf(20_000, hostile, parsePersistedOutput)).toBeLessThan(LINEAR);
    const spaces = (n: number) => `${' '.repeat(20 * n)}<persisted-output>${'\n\nPreview (first '.repeat(n)}`;
    expect(growthOf(10_000, spaces, parsePersistedOutput)).toBeLessThan(LINEAR);
  });
});
