/** Most prepared statements per connection, each with a plan on the server; an import repeats about 150 statements. */
const MAX_NAMED = 256;
/** Most texts remembered after their first use; then all of them are forgotten. */
const MAX_SEEN = 4_096;
const MAX_CHARS = 16_384;
/** Statements until plans are renewed for the first time; afterwards whenever their number has doubled. */
const FIRST_RENEWAL = 512;

/** Columns added by another version's migration would change its result, which a prepared statement refuses. */
const READS_EVERY_COLUMN = /^\s*(select|with)\b[^]*?(\s|\.|,)\*(\s|,|$)/i;

/** The same text has the same name in every connection of a pool. */
interface StatementNames {
  /** Undefined for a text that is new, and for those that are not prepared. */
  nameOf(text: string): string | undefined;
}

function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  return {
    nameOf: (text) => {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (!seen.has(text)) {
        if (seen.size >= MAX_SEEN) seen.clear();
        if (text.length <= MAX_CHARS && !READS_EVERY_COLUMN.test(text)) seen.add(text);
        return undefined;
      }
      if (names.size >= MAX_NAMED) return undefined;
      seen.delete(text);
      const name = `fuel_${names.size}`;
      names.set(text, name);
      return name;
    },
  };
}

/** The number of statements run on a connection, and the number at which its plans are renewed. */
interface Work {
  statements: number;
  renewAt: number;
}

type Query = (...args: unknown[]) => Promise<unknown>;

/** Prepares repeated statements on every connection of a pool. */
export function createPreparer() {
  const names = createStatementNames();
  const works = new WeakMap<object, Work | null>();
  return async (client: object, processId: number, query: Query): Promise<Query> => {
    if (!works.has(client)) {
      const isDirect = await isSameProcess(query, processId);
      works.set(client, isDirect ? { statements: 0, renewAt: FIRST_RENEWAL } : null);
    }
    const work = works.get(client) ?? null;
    return work === null ? query : prepared(query, names, work);
  };
}

/**
 * A plan made while tables were small stays until it is renewed, and in a first import tables grow with every
 * statement: plans are renewed each time the number of statements has doubled.
 */
function prepared(query: Query, names: StatementNames, work: Work): Query {
  return (...args) => {
    const [text, values] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(...args);
    const name = names.nameOf(text);
    if (name === undefined) return query(...args);
    work.statements += 1;
    if (work.statements >= work.renewAt) {
      work.renewAt *= 2;
      // Sent before the statement. It fails only where the statement fails too: in a broken transaction or connection.
      void query('DISCARD PLANS').catch(() => {});
    }
    return query({ name, text, values });
  };
}

/** Behind a pooler, the next statement may run in a server process that does not know the name. */
async function isSameProcess(query: Query, processId: number): Promise<boolean> {
  const { rows } = (await query('SELECT pg_backend_pid() AS own')) as { readonly rows: readonly { own: number }[] };
  return rows[0]?.own === processId;
}
