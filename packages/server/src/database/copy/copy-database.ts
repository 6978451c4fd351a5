import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { QueryExecutorProvider } from 'kysely'
import { StartError } from '../../errors.js'
import { type Database, openDatabase } from '../database.js'
import { lockFolder } from '../lock.js'
import * as server from '../postgres/table-descriptions.js'
import { describeTables, isInUse, type TableDescription } from '../postgres/table-descriptions.js'
import * as file from '../sqlite/row-numbers.js'
import { digestOf, insertRows, pagesOf } from './table-rows.js'

export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** SHA-256 of the contents of all rows; identical when read from either side. */
  readonly digest: string
}

export interface CopyOptions {
  /** A data folder, or the address of a server. */
  readonly from: string
  /** The other side, which must be of the other kind; its tables must be empty. */
  readonly to: string
  readonly onTable?: (table: CopiedTable, done: number, total: number) => void
}

const FILE = 'medloom.db'
const LOCK = 'lock.db'

/**
 * Copy every row between the data folder of a stopped service and a database server, read both sides back and compare them. One transaction
 * covers the whole copy: the target gets everything or stays empty.
 * @throws StartError when a side is in use or the target is not empty.
 */
export async function copyDatabase({ from, to, onTable }: CopyOptions): Promise<CopiedTable[]> {
  if (isAddress(from) === isAddress(to))
    throw new StartError(
      'a copy needs a data folder on one side and an address of a database server on the other',
      'medloom database copy --from ./medloom-data --to postgres://medloom@db.example.org/medloom',
    )
  const sides: Side[] = []
  let done = false
  try {
    const [source, target] = [await openSide(from, 'source', sides), await openSide(to, 'target', sides)]
    const tables = await describeTables((isAddress(from) ? source : target).database)
    const copied = await source.database.transaction().execute((reading) =>
      target.database.transaction().execute(async (writing) => {
        await source.own.takeTime(reading)
        await target.own.takeTime(writing)
        await refuseRows(tables, writing, to)
        const tablesDone: CopiedTable[] = []
        for (const table of tables) {
          tablesDone.push(await copyTable(table, { source, reading, target, writing }))
          onTable?.(tablesDone.at(-1) as CopiedTable, tablesDone.length, tables.length)
        }
        return tablesDone
      }),
    )
    done = true
    return copied
  } finally {
    for (const side of sides.reverse()) await side.close(done)
  }
}

interface Side {
  readonly database: Database
  /** Functions that differ between the two databases. */
  readonly own: Pick<typeof server, 'lastNumber' | 'countFrom' | 'takeTime'>
  /** @param done true if everything was copied; otherwise the files created for the copy are removed. */
  close(done: boolean): Promise<void>
}

async function openSide(place: string, role: 'source' | 'target', sides: Side[]): Promise<Side> {
  const side = isAddress(place) ? await openServer(place) : await openFolder(resolve(place), role)
  sides.push(side)
  return side
}

async function openServer(url: string): Promise<Side> {
  const database = await openDatabase({ url }, { role: 'copy', onLost: () => undefined })
  if (!(await isInUse(database))) return { database, own: server, close: () => database.destroy() }
  await database.destroy()
  throw new StartError(
    'a service uses the database on the server',
    'Stop all services that use it, then copy again.',
  )
}

async function openFolder(folder: string, role: 'source' | 'target'): Promise<Side> {
  const path = join(folder, FILE)
  if (existsSync(path) !== (role === 'source'))
    throw new StartError(
      role === 'source' ? `there is no database in ${folder}` : `${folder} already contains a database`,
      role === 'source' ? 'Use the data folder of a service.' : 'Use another folder, or move the database.',
    )
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(join(folder, LOCK))
  if (!lock)
    throw new StartError(
      `a service uses the data folder ${folder}`,
      'Stop the service, then copy again. Its trainings continue.',
    )
  const database = await openDatabase({ file: path }, { onLost: () => undefined })
  return {
    database,
    own: file,
    close: async (done) => {
      await database.destroy()
      if (role === 'target' && !done) await rm(path)
      lock.release()
    },
  }
}

/** Rows that the migrations insert into new tables do not count as content. */
async function refuseRows(
  tables: readonly TableDescription[],
  writing: QueryExecutorProvider & Pick<Database, 'deleteFrom'>,
  to: string,
): Promise<void> {
  await writing.deleteFrom('counters').where('value', '=', 0).execute()
  for (const table of tables)
    for await (const _ of pagesOf(table, writing))
      throw new StartError(
        `the ${isAddress(to) ? 'database of the server' : 'data folder'} is not empty: ${table.name} has rows`,
        'Copy into a new database that no service has used.',
      )
}

async function copyTable(
  table: TableDescription,
  {
    source,
    reading,
    target,
    writing,
  }: {
    readonly source: Side
    readonly reading: QueryExecutorProvider
    readonly target: Side
    readonly writing: QueryExecutorProvider
  },
): Promise<CopiedTable> {
  for await (const rows of pagesOf(table, reading)) await insertRows(table, rows, writing)
  if (table.counted !== null)
    await target.own.countFrom(table, await source.own.lastNumber(table, reading), writing)
  const [before, after] = [await digestOf(table, reading), await digestOf(table, writing)]
  if (before.rows !== after.rows || before.digest !== after.digest)
    throw new Error(
      `${table.name} was not copied completely: ${before.rows} rows in the source, ${after.rows} in the copy`,
    )
  return { table: table.name, ...after }
}

function isAddress(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}
