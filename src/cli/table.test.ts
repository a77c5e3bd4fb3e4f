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
  drain: async () => {},
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

  it('colors cells on a terminal without changing the layout', () => {
    const columns = [
      { title: 'NAME', text: ([name]: readonly [string, number]) => name, style: () => 'cyan' as const },
      {
        title: 'FAILED',
        align: 'right' as const,
        text: ([, count]: readonly [string, number]) => String(count),
        style: ([, count]: readonly [string, number]) => (count > 0 ? ('red' as const) : null),
      },
    ];
    const rows = [
      ['a', 0],
      ['long name', 7],
    ] as const;
    const plain = renderTable(terminalOf(40), columns, rows);
    const colored = renderTable({ ...terminalOf(40), hasColor: true }, columns, rows);
    expect(plain).not.toContain('\u001b');
    expect(colored).toContain('\u001b[36mlong name\u001b[0m  \u001b[31m     7\u001b[0m\n');
    expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain);
  });

  it('keeps the end of a path', () => {
    const columns = [{ title: 'FILE', grows: true, keeps: 'end' as const, text: (path: string) => path }];
    expect(renderTable(terminalOf(20), columns, ['/a/very/long/path/to/engine.ts'])).toContain(
      '\n…g/path/to/engine.ts\n',
    );
  });
});
