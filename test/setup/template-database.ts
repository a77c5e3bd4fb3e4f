import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openStore } from '../../src/store/store.ts';

/**
 * Resets a used copy of the template: this takes a few milliseconds, a new copy a fifth of a second. Returns false if a test
 * changed the tables themselves. The limit of 1 MB exists because rows that are deleted one by one leave their pages behind,
 * which later tests would have to read.
 */
const RESTORE = `
CREATE SCHEMA pristine;
CREATE FUNCTION pristine.fingerprint() RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(line, '|' ORDER BY line)) FROM (
    SELECT concat_ws(' ', relname, attname, atttypid, attnotnull) AS line FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', tgrelid, tgname, tgenabled) FROM pg_trigger
    UNION ALL SELECT concat_ws(' ', conrelid, conname) FROM pg_constraint
    UNION ALL SELECT concat_ws(' ', proname, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ) AS lines
$$;
CREATE FUNCTION pristine.restore() RETURNS boolean LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
  name text;
BEGIN
  -- Most tests use few tables: a file without pages has never had a row.
  FOR name IN SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
    IF pg_table_size(format('public.%I', name)::regclass) > 1000000 THEN EXECUTE format('TRUNCATE public.%I CASCADE', name);
    ELSE EXECUTE format('DELETE FROM public.%I', name);
    END IF;
  END LOOP;
  PERFORM pristine.fill();
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER SEQUENCE public.%I RESTART', name);
  END LOOP;
  -- An import drops the index of patterns while the tables are empty; some tests end before it is built again.
  FOR name IN SELECT definition FROM pristine.indexes() WHERE to_regclass(index_name) IS NULL LOOP EXECUTE name; END LOOP;
  RETURN pristine.fingerprint() = pristine.expected_fingerprint();
END $$;
DO $$
DECLARE
  name text;
  rows text;
  inserts text := '';
BEGIN
  -- Kept in functions, because some tests read every table of every schema.
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('SELECT json_agg(one) FROM public.%I AS one', name) INTO rows;
    CONTINUE WHEN rows IS NULL;
    inserts := inserts
      || format('INSERT INTO public.%1$I SELECT * FROM json_populate_recordset(NULL::public.%1$I, %2$L);', name, rows);
  END LOOP;
  SELECT string_agg(format('(%L, %L)', 'public.' || quote_ident(indexname), indexdef), ', ') INTO rows FROM pg_indexes
    WHERE schemaname = 'public';
  EXECUTE format('CREATE FUNCTION pristine.indexes() RETURNS TABLE (index_name text, definition text) LANGUAGE sql AS %L',
    'VALUES ' || rows);
  EXECUTE format('CREATE FUNCTION pristine.fill() RETURNS void LANGUAGE sql AS %L', inserts);
  EXECUTE format('CREATE FUNCTION pristine.expected_fingerprint() RETURNS text LANGUAGE sql AS %L',
    format('SELECT %L', pristine.fingerprint()));
END $$;
`;

export interface TemplateDatabase {
  /** Prefix of the names of all databases of this run. */
  readonly name: string;
  /** Drops it and every copy kept for reuse. */
  drop(): Promise<void>;
}

/** A database with all tables that can be copied, and whose copies can be reset. */
export async function createTemplateDatabase(adminUrl: string): Promise<TemplateDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const url = urlOfDatabase(adminUrl, name);
  await runSql(adminUrl, `CREATE DATABASE ${name}`);
  const store = await openStore({ databaseUrl: url, sqlitePath: '', onIdleError: () => {} });
  await store.close();
  await runSql(url, RESTORE);
  return { name, drop: () => dropAll(adminUrl, name) };
}

export function urlOfDatabase(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a separate connection and returns its rows. */
export async function runSql<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function dropAll(adminUrl: string, prefix: string): Promise<void> {
  const databases = await runSql<{ name: string }>(
    adminUrl,
    `SELECT datname AS name FROM pg_database WHERE starts_with(datname, '${prefix}')`,
  );
  for (const { name } of databases) await runSql(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
