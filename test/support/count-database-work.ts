import { StatementSync } from 'node:sqlite';
import pg from 'pg';

export interface DatabaseWork extends Disposable {
  /** Statements run and rows returned, on either engine. */
  statements: number;
  rows: number;
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Counts the database work of this process until it is disposed. */
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

/** Observes the results of a method; returns a function that restores it. */
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
