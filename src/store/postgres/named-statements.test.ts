import { describe, expect, it } from 'vitest';
import { createPreparer } from './named-statements.ts';

const PROCESS_ID = 7;

/** A connection that records what is sent to it. */
function connect(processId = PROCESS_ID) {
  const sent: unknown[] = [];
  const query = async (...args: unknown[]) => {
    sent.push(...args.slice(0, 1));
    return { rows: [{ own: processId }] };
  };
  return { query, sent, names: () => sent.flatMap((one) => (one as { name?: string }).name ?? []) };
}

describe('prepared statements', () => {
  it('have a name from the second use on, the same on every connection', async () => {
    const prepare = createPreparer();
    const [a, b] = [connect(), connect()];
    const [askA, askB] = [await prepare(a, PROCESS_ID, a.query), await prepare(b, PROCESS_ID, b.query)];
    for (const text of ['SELECT $1', 'SELECT $1', 'UPDATE t SET a = $1', 'SELECT $1']) await askA(text, [1]);
    await askB('SELECT $1', [1]);
    expect([a.names(), b.names()]).toEqual([['fuel_0', 'fuel_0'], ['fuel_0']]);
  });

  it('exclude statements without parameters or that read every column', async () => {
    const connection = connect();
    const ask = await createPreparer()(connection, PROCESS_ID, connection.query);
    for (const text of ['select * from "t" where a = $1', 'select "t".* from "t" where a = $1', 'begin']) {
      for (let n = 0; n < 3; n++) await ask(text, text === 'begin' ? [] : [1]);
    }
    expect(connection.names()).toEqual([]);
    for (let n = 0; n < 2; n++) await ask('select count(*) as "n" from "t" where a = $1', [1]);
    for (let n = 0; n < 2; n++) await ask('INSERT INTO t SELECT * FROM unnest($1::text[])', [[]]);
    expect(connection.names()).toEqual(['fuel_0', 'fuel_1']);
  });

  it('get new plans whenever the number of statements has doubled', async () => {
    const connection = connect();
    const ask = await createPreparer()(connection, PROCESS_ID, connection.query);
    for (let n = 0; n < 5_000; n++) await ask('SELECT $1', [n]);
    expect(connection.sent.filter((one) => one === 'DISCARD PLANS')).toHaveLength(4);
  });

  it('are not used behind a pooler, which has its own process ids', async () => {
    const connection = connect(99);
    const prepare = createPreparer();
    for (let n = 0; n < 3; n++) {
      const ask = await prepare(connection, PROCESS_ID, connection.query);
      await ask('SELECT $1', [n]);
    }
    expect(connection.names()).toEqual([]);
    expect(connection.sent.filter((one) => String(one).includes('pg_backend_pid'))).toHaveLength(1);
  });
});
