import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Libsql from 'libsql'

const ROUNDS = 100

/** Milliseconds each; `wall` and `processor` are the sums of both parts. */
export interface Reference {
  readonly transaction: number
  readonly transactionProcessor: number
  readonly roundTrip: number
  readonly roundTripProcessor: number
  readonly wall: number
  readonly processor: number
}

type Row = Readonly<Record<string, unknown>>

/**
 * The least that storing and sending the results of nodes takes on this machine: the same rows in the same tables, in one durable transaction
 * per result, and the same values as JSON to a thread and back.
 */
export class Referee {
  readonly #folder = mkdtempSync(join(tmpdir(), 'medloom-reference-'))
  readonly #database = new Libsql(join(this.#folder, 'reference.db'))
  readonly #echo = new Worker(ECHO, { eval: true })

  private constructor(
    private readonly results: readonly Row[],
    private readonly blobs: ReadonlyMap<unknown, readonly Row[]>,
    tables: readonly string[],
  ) {
    for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 500'])
      this.#database.pragma(setting)
    for (const table of tables) this.#database.exec(table)
  }

  /** With the results in the database of a service. */
  static with(file: string): Referee {
    const database = new Libsql(file, { readonly: true })
    try {
      const rowsOf = (sql: string) => database.prepare(sql).all() as Row[]
      const tables = rowsOf(
        `SELECT sql FROM sqlite_master WHERE tbl_name IN ('cached_results', 'cached_blobs') AND sql IS NOT NULL ORDER BY type DESC`,
      )
      const results = rowsOf(`SELECT * FROM cached_results WHERE type <> 'LoadDataset' LIMIT ${ROUNDS}`)
      const blobs = new Map<unknown, Row[]>()
      for (const row of rowsOf('SELECT * FROM cached_blobs'))
        blobs.set(row.key, [...(blobs.get(row.key) ?? []), row])
      return new Referee(
        results,
        blobs,
        tables.map(({ sql }) => String(sql)),
      )
    } finally {
      database.close()
    }
  }

  async measure(): Promise<Reference> {
    const transactions = await cost(() => this.#storeAll(), this.results.length)
    const trips = await cost(() => this.#sendAll(), this.results.length)
    return {
      transaction: transactions.wall,
      transactionProcessor: transactions.processor,
      roundTrip: trips.wall,
      roundTripProcessor: trips.processor,
      wall: transactions.wall + trips.wall,
      processor: transactions.processor + trips.processor,
    }
  }

  async close(): Promise<void> {
    await this.#echo.terminate()
    this.#database.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #storeAll(): void {
    const insert = (table: string, row: Row) =>
      this.#database.prepare(
        `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`,
      )
    const [first] = this.results
    const [firstBlob] = this.blobs.get(first?.key) ?? []
    if (!first || !firstBlob) throw new Error('the service has stored no results')
    const remove = this.#database.prepare('DELETE FROM cached_results WHERE key = ?')
    const [result, blob] = [insert('cached_results', first), insert('cached_blobs', firstBlob)]
    for (const row of this.results) {
      this.#database.exec('BEGIN IMMEDIATE')
      remove.run([row.key])
      result.run(Object.values(row))
      for (const file of this.blobs.get(row.key) ?? []) blob.run(Object.values(file))
      this.#database.exec('COMMIT')
    }
  }

  async #sendAll(): Promise<void> {
    for (const row of this.results) {
      const answered = new Promise((resolve) => this.#echo.once('message', resolve))
      this.#echo.postMessage(JSON.stringify(row))
      JSON.parse((await answered) as string)
    }
  }
}

const ECHO = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', (text) => parentPort.postMessage(JSON.stringify(JSON.parse(text))))`

/** Milliseconds of wall and processor time per item. */
async function cost(work: () => unknown, items: number): Promise<{ wall: number; processor: number }> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { wall: (performance.now() - began) / items, processor: (user + system) / 1000 / items }
}
