import { join } from 'node:path'
import pg from 'pg'
import type { DatabasePlace } from '../../packages/server/src/database/database.js'
import { registerCleanup } from '../../tests/testing/cleanup.js'
import { postgresRowsPerSecond, sqliteRowsPerSecond } from './peers.js'

/** Database of a measured service. */
export interface Store {
  readonly name: 'SQLite' | 'PostgreSQL'
  readonly place: DatabasePlace
  /** Arguments of the service. */
  readonly arguments: readonly string[]
  /** Rows per second with the same columns, without the service. */
  bareRowsPerSecond(): Promise<number>
  remove(): Promise<void>
}

export function sqliteStore(dataDir: string): Store {
  return {
    name: 'SQLite',
    place: { file: join(dataDir, 'medloom.db') },
    arguments: [],
    bareRowsPerSecond: async () => sqliteRowsPerSecond(dataDir),
    remove: async () => undefined,
  }
}

/** A new database on the server at `address`. */
export async function postgresStore(address: string): Promise<Store> {
  const name = `medloom_scale_${process.pid}`
  const url = new URL(address)
  url.pathname = `/${name}`
  await execute(address, `CREATE DATABASE "${name}"`)
  const unregister = registerCleanup(() => console.error(`the database ${name} is left on the server`))
  return {
    name: 'PostgreSQL',
    place: { url: url.href },
    arguments: ['--database-url', url.href],
    bareRowsPerSecond: () => postgresRowsPerSecond(url.href),
    remove: async () => {
      await execute(address, `DROP DATABASE "${name}" WITH (FORCE)`)
      unregister()
    },
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
