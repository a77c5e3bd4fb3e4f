import { describe, expect, it } from 'vitest';
import { printLine, wrapLines } from './output.ts';
import type { Terminal } from './terminal.ts';

const terminal = (columns: number, isInteractive = true) => ({ columns, isInteractive }) as Terminal;

describe('wrapLines', () => {
  it('aligns wrapped lines with the text after the label or the indentation', () => {
    expect(wrapLines(terminal(20), 'Last fired  never, as far as known')).toBe(
      'Last fired  never,\n            as far\n            as known',
    );
    expect(wrapLines(terminal(12), '  ○ one two three')).toBe('  ○ one two\n  three');
    expect(wrapLines(terminal(12), 'one two three four')).toBe('one two\nthree four');
  });

  it('gives a word the whole line if it does not fit beside the label', () => {
    expect(wrapLines(terminal(12), 'Hooks   /etc/hooks')).toBe('Hooks  \n/etc/hooks');
  });

  it('leaves output that is not for a terminal unchanged', () => {
    expect(wrapLines(terminal(5, false), 'one two three')).toBe('one two three');
  });
});

describe('printLine', () => {
  it('keeps the indentation, also of wrapped lines', () => {
    let shown = '';
    const to = { columns: 14, out: (text: string) => (shown += text) } as unknown as Terminal;
    printLine(to, '  1 archived file  (1.1 MB)');
    expect(shown).toBe('  1 archived\n  file (1.1\n  MB)\n');
  });
});
