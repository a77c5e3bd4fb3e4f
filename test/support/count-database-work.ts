import { StatementSync } from 'node:sqlite';
import pg from 'pg';
import { vi } from 'vitest';

export interface DatabaseWork extends Disposable {
  /** Statements that were run, and rows that came back, on either engine. */
  statements: number;
  rows: number;
}

/** Counts what this process asks of any database until it is disposed of. */
export function countDatabaseWork(): DatabaseWork {
  const counted = { statements: 0, rows: 0 };
  const note = (rows: number) => {
    counted.statements += 1;
    counted.rows += rows;
  };
  const { all, run } = StatementSync.prototype;
  const { query } = pg.Client.prototype;
  const spies = [
    vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
      const rows = all.apply(this, values as never);
      note(rows.length);
      return rows;
    } as typeof all),
    vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
      note(0);
      return run.apply(this, values as never);
    } as typeof run),
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...values: unknown[]) {
      const answer: unknown = query.apply(this, values as never);
      if (answer instanceof Promise)
        void answer.then(
          ({ rows }) => note(rows?.length ?? 0),
          () => note(0),
        );
      return answer;
    } as typeof query),
  ];
  return Object.assign(counted, {
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore();
    },
  });
}
