import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../lib/terminal-text.ts';
import { renderTable } from './table.ts';

const terminalOf = (columns: number) => ({
  columns,
  hasColor: false,
  isInteractive: false,
  out: () => {},
  err: () => {},
  ask: async () => false,
});

describe('table', () => {
  it('never exceeds the width of the terminal', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell)), fc.integer({ min: 40, max: 200 }), (rows, columns) => {
        const table = renderTable(
          terminalOf(columns),
          [
            { title: 'ID', text: ([first]) => first },
            { title: 'TITLE', grows: true, text: ([, second]) => second },
            { title: 'COST', align: 'right', keeps: 'end', text: ([, , third]) => third },
          ],
          rows,
        );
        for (const line of table.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('keeps the end of a path', () => {
    const columns = [{ title: 'FILE', grows: true, keeps: 'end' as const, text: (path: string) => path }];
    expect(renderTable(terminalOf(20), columns, ['/a/very/long/path/to/engine.ts'])).toContain(
      '\n…g/path/to/engine.ts\n',
    );
  });
});
