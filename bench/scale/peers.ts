import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import pg from 'pg'
import { eventLine } from './lines.js'

/** Capacity of the machine without the service: the same measurements on minimal programs. */
const SECONDS = 2
const ROWS = 1000
const BLOCK = Buffer.alloc(4096)

/** Appends of 4 KiB per second, each synced. */
export function fsyncsPerSecond(folder: string): number {
  const path = join(folder, 'fsync')
  const file = openSync(path, 'w')
  const rate = perSecond(() => {
    writeSync(file, BLOCK)
    fsyncSync(file)
    return 1
  })
  closeSync(file)
  rmSync(path)
  return rate
}

/** Rows per second in a minimal SQLite table with the columns of the messages, a thousand rows of a thousand jobs per synced transaction. */
export function sqliteRowsPerSecond(folder: string): number {
  const path = join(folder, 'bare.db')
  const database = new Libsql(path)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec(
    'CREATE TABLE events (job_id TEXT, seq INTEGER, type TEXT, message TEXT, PRIMARY KEY (job_id, seq)) WITHOUT ROWID',
  )
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
  const text = eventLine(1, 1)
  let seq = 0
  const rate = perSecond(() => {
    seq += 1
    database.exec('BEGIN IMMEDIATE')
    for (let job = 0; job < ROWS; job++) insert.run([`job ${job}`, seq, 'progress', text])
    database.exec('COMMIT')
    return ROWS
  })
  database.close()
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  return rate
}

/** The same in a minimal table of a PostgreSQL server, with one statement for the rows of each transaction. */
export async function postgresRowsPerSecond(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'CREATE TABLE bare_events (job_id text, seq bigint, type text, message text, PRIMARY KEY (job_id, seq))',
  )
  const jobs = Array.from({ length: ROWS }, (_, job) => `job ${job}`)
  const text = eventLine(1, 1)
  const began = performance.now()
  let seq = 0
  for (; performance.now() - began < SECONDS * 1000; seq++)
    await client.query(
      "INSERT INTO bare_events SELECT job, $2, 'progress', $3 FROM unnest($1::text[]) AS job",
      [jobs, seq, text],
    )
  const rate = (ROWS * seq * 1000) / (performance.now() - began)
  await client.query('DROP TABLE bare_events')
  await client.end()
  return rate
}

function perSecond(work: () => number): number {
  const began = performance.now()
  let done = 0
  while (performance.now() - began < SECONDS * 1000) done += work()
  return (done * 1000) / (performance.now() - began)
}
