import {
  type Driver,
  type Dialect as KyselyDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DatabaseDialect, Ddl } from '../dialect.js'
import { ConnectionThread } from './connection-thread.js'
import { ThreadDriver } from './thread-driver.js'
import { TransactionGate } from './transaction-gate.js'

/** SQLite in one file, on one connection that writes, in a thread of its own. */
export function sqliteDialect(file: string): DatabaseDialect {
  return {
    ddl: DDL,
    async connect(onLost) {
      let opened = false
      const thread = new ConnectionThread(file, (error) => {
        if (opened) onLost(error)
      })
      try {
        await prepare(thread)
      } catch (error) {
        await thread.close()
        const { message } = ((error as Error).cause ?? error) as Error
        throw new Error(`the database ${file} cannot be used: ${message}`, { cause: error })
      }
      opened = true
      const gate = new TransactionGate()
      return {
        durable: kyselyDialect(new ThreadDriver({ thread, gate, durable: true })),
        relaxed: kyselyDialect(new ThreadDriver({ thread, gate, durable: false })),
        close: () => thread.close(),
      }
    },
  }
}

const DDL: Ddl = {
  rowNumber: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  real: 'REAL',
  sortedText: 'TEXT',
  table: ' STRICT',
  keyedTable: ' STRICT, WITHOUT ROWID',
  fromJson: (column, field) => always(`json_extract(${column}, '$.${field}')`),
  fieldsOf: (fields) =>
    always(
      `json_object(${Object.entries(fields)
        .map(([name, [column, field]]) => `'${name}', ${column} -> '$.${field}'`)
        .join(', ')})`,
    ),
  joinedText: (parts) => always(parts.map(textOf).join(` || '\n' || `)),
  secondsBetween: (from, to) => always(`round((julianday(${to}) - julianday(${from})) * 86400.0, 3)`),
  jsonWithout: (column, fields) =>
    `json_remove(${[column, ...fields.map((field) => `'$.${field}'`)].join(', ')})`,
}

function always(expression: string): string {
  return `GENERATED ALWAYS AS (${expression}) VIRTUAL`
}

function textOf(part: Parameters<Ddl['joinedText']>[0][number]): string {
  if (typeof part === 'string') return part
  const values = part.fields.map((field) => `json_extract(${part.column}, '$.${field}')`)
  return `coalesce(${values.join(', ')}, '')`
}

/** Values as SQLite gives them back: a setting that it does not know or cannot have is no error of its own. */
const SETTINGS = [
  // First: a connection that is being closed holds the file for a moment.
  { pragma: 'busy_timeout', set: '5000', expected: 5000 },
  { pragma: 'journal_mode', set: 'WAL', expected: 'wal' },
  { pragma: 'synchronous', set: 'FULL', expected: 2 },
  { pragma: 'foreign_keys', set: 'ON', expected: 1 },
] as const

async function prepare(thread: ConnectionThread): Promise<void> {
  for (const { pragma, set, expected } of SETTINGS) {
    await thread.statement(`PRAGMA ${pragma} = ${set}`, [])
    const { rows } = await thread.statement(`PRAGMA ${pragma}`, [])
    const [value] = Object.values(rows[0] ?? {})
    if (value !== expected) throw new Error(`${pragma} is ${value}, expected ${expected} (${set})`)
  }
}

function kyselyDialect(driver: Driver): KyselyDialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  }
}
