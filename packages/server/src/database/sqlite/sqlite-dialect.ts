import {
  type CompiledQuery,
  type Driver,
  type Dialect as KyselyDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DatabaseDialect, Ddl } from '../dialect.js'
import { TransactionGate } from '../transaction-gate.js'
import { ConnectionThread } from './connection-thread.js'
import type { Statement } from './protocol.js'
import { ThreadDriver } from './thread-driver.js'

/**
 * SQLite in one file, with one connection for writing and one for reading, each in its own thread. Only the writing connection checkpoints
 * the write-ahead log: releases before 3.51.3 can lose a commit when two connections do so at once.
 */
export function sqliteDialect(file: string): DatabaseDialect {
  return {
    ddl: DDL,
    async connect({ onLost }) {
      const thread = await opened(file, SETTINGS, onLost)
      const reader = await opened(file, READING, onLost).catch(async (error) => {
        await thread.close()
        throw error
      })
      const gate = new TransactionGate()
      return {
        dialectFor: ({ isRelaxed = false, isPatient = false }) =>
          kyselyDialect(new ThreadDriver({ thread, gate, durable: !isRelaxed, patient: isPatient })),
        executeAtOnce: (queries) =>
          new Promise((resolve, reject) => {
            gate.pass(() =>
              thread.transaction(queries.map(statementOf), { durable: false }).then(resolve, reject),
            )
          }),
        reading: kyselyDialect(
          new ThreadDriver({ thread: reader, gate: new TransactionGate(), durable: true, patient: false }),
        ),
        server: null,
        // The last connection that is closed also checkpoints the log.
        close: async () => {
          await reader.close()
          await thread.close()
        },
      }
    },
  }
}

const DDL: Ddl = {
  functions: [],
  rowNumber: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  table: ' STRICT',
  keyedTable: ' STRICT, WITHOUT ROWID',
  longText: (column) => column,
  alsoIndexed: (columns) => `, ${columns}`,
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

interface Setting {
  readonly pragma: string
  readonly set: string
  readonly expected: number | string
}

/** Values as SQLite returns them: it reports no error for a setting that it does not know or support. */
const SETTINGS: readonly Setting[] = [
  // First setting: a connection that is being closed locks the file for a moment.
  { pragma: 'busy_timeout', set: '5000', expected: 5000 },
  { pragma: 'journal_mode', set: 'WAL', expected: 'wal' },
  { pragma: 'synchronous', set: 'FULL', expected: 2 },
  // Pages, 2 MiB: everything waits while they are written to the tables, for a second with 64 MiB.
  { pragma: 'wal_autocheckpoint', set: '500', expected: 500 },
  { pragma: 'foreign_keys', set: 'ON', expected: 1 },
]

const READING: readonly Setting[] = [
  { pragma: 'busy_timeout', set: '5000', expected: 5000 },
  { pragma: 'query_only', set: 'ON', expected: 1 },
  { pragma: 'wal_autocheckpoint', set: '0', expected: 0 },
]

/** @throws Error when a setting is not in effect. */
async function opened(
  file: string,
  settings: readonly Setting[],
  onLost: (error: Error) => void,
): Promise<ConnectionThread> {
  let isOpen = false
  const thread = new ConnectionThread(file, (error) => {
    if (isOpen) onLost(error)
  })
  try {
    await prepare(thread, settings)
  } catch (error) {
    await thread.close()
    const { message } = ((error as Error).cause ?? error) as Error
    throw new Error(`the database ${file} cannot be used: ${message}`, { cause: error })
  }
  isOpen = true
  return thread
}

async function prepare(thread: ConnectionThread, settings: readonly Setting[]): Promise<void> {
  for (const { pragma, set, expected } of settings) {
    await thread.statement(`PRAGMA ${pragma} = ${set}`, [])
    const { rows } = await thread.statement(`PRAGMA ${pragma}`, [])
    const [value] = Object.values(rows[0] ?? {})
    if (value !== expected) throw new Error(`${pragma} is ${value}, expected ${expected} (${set})`)
  }
}

function statementOf({ sql, parameters }: CompiledQuery): Statement {
  return { sql, parameters }
}

function kyselyDialect(driver: Driver): KyselyDialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  }
}
