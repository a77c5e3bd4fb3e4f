import { StatementSync } from 'node:sqlite';
import pg from 'pg';

export interface DatabaseWork extends Disposable {
  /** Statements that were run, and rows that came back, on either engine. */
  statements: number;
  rows: number;
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Counts what this process asks of any database until it is disposed of. */
export function countDatabaseWork(): DatabaseWork {
  const counted = { statements: 0, rows: 0 };
  const note = (rows: unknown) => {
    counted.statements += 1;
    counted.rows += Array.isArray(rows) ? rows.length : 0;
  };
  const restore = [
    watch(StatementSync.prototype, 'all', note),
    watch(StatementSync.prototype, 'run', note),
    watch(pg.Client.prototype, 'query', (answer) => {
      if (answer instanceof Promise) answer.then((result: { rows?: unknown }) => note(result.rows), note);
    }),
  ];
  return Object.assign(counted, {
    [Symbol.dispose]: () => {
      for (const back of restore) back();
    },
  });
}

/** Has the answers of a method seen; gives what undoes it. */
function watch(owner: object, name: string, see: (answer: unknown) => void): () => void {
  const methods = owner as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function (...values) {
    const answer = original.apply(this, values);
    see(answer);
    return answer;
  };
  return () => {
    methods[name] = original;
  };
}
