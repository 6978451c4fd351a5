import { randomUUID } from 'node:crypto'
import pg from 'pg'

const ADDRESS = process.env.MEDLOOM_TEST_DATABASE_URL || 'postgres://root@127.0.0.1:5432/postgres'
/** Prefix of the name of every database that this run of the tests creates, so that its end removes them all. */
const PREFIX = 'MEDLOOM_TEST_DATABASE_PREFIX'

/** Look for a PostgreSQL server once for all workers, and finally remove the databases of their tests. */
export default async function setup(): Promise<() => Promise<void>> {
  const problem = await executeStatement('SELECT 1').then(
    () => undefined,
    (error: Error) => error.message || String((error as { code?: string }).code),
  )
  if (problem !== undefined) {
    process.stdout.write(
      `PostgreSQL does not answer (${problem}): tests of the database server are skipped. ` +
        'MEDLOOM_TEST_DATABASE_URL names one where this user may create databases.\n',
    )
    return async () => undefined
  }
  const prefix = `medloom_test_${randomUUID().slice(0, 8)}`
  process.env[PREFIX] = prefix
  return async () => {
    const names = await executeStatement<{ name: string }>(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE '${prefix}%'`,
    )
    for (const { name } of names) await executeStatement(`DROP DATABASE "${name}" WITH (FORCE)`)
  }
}

/** Returns true if tests can use a server. */
export const HAS_POSTGRES = (): boolean => process.env[PREFIX] !== undefined

/** A new database on the server; the end of the tests removes it. @returns its address */
export async function createDatabase(): Promise<string> {
  const name = `${process.env[PREFIX]}_${randomUUID().slice(0, 8)}`
  await executeStatement(`CREATE DATABASE "${name}"`)
  const address = new URL(ADDRESS)
  address.pathname = `/${name}`
  return address.href
}

/**
 * Leaves the tables as after the migrations. Statement by statement: truncating tables takes a hundred times longer than emptying small
 * ones.
 */
export async function emptyTables(url: string): Promise<void> {
  await executeStatement(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    DO $$ DECLARE item text; BEGIN
      SET LOCAL session_replication_role = replica;
      FOR item IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
        EXECUTE format('DELETE FROM %I', item);
      END LOOP;
      FOR item IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
        PERFORM setval(item::regclass, 1, false);
      END LOOP;
      INSERT INTO counters VALUES ('evaluations', 0);
    END $$`,
    url,
  )
}

/** Query a database of the server on a separate connection. */
export async function executeStatement<Row extends object>(
  statement: string,
  url: string = ADDRESS,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
