import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { DATABASE_CONNECT_MILLISECONDS } from '../../durations.js'
import { StartError } from '../../errors.js'
import { DatabaseError } from '../database-error.js'
import { errorOf, lost } from './server-error.js'
import { serverName } from './server-url.js'

/** Limits for prepared statements; statements with many parameters vary in length and are planned each time. */
const MAX_PREPARED = 400
const MAX_PREPARED_CHARACTERS = 4000

export interface SessionOptions {
  readonly url: string
  /** Name of the session in pg_stat_activity. */
  readonly name: string
}

export interface SessionResult {
  readonly rows: Record<string, unknown>[]
  /** SELECT, INSERT, COMMIT …; for several statements, the last one. */
  readonly command: string
  /** Rows read or changed. */
  readonly count: number
}

/**
 * One connection to the server. Statements are sent at once and executed in order, without waiting for earlier responses. After the session
 * has ended, everything fails with `lost`.
 */
export class Session {
  readonly #client: pg.Client
  readonly #prepared = new Map<string, PreparedStatement>()
  #ended: DatabaseError | undefined
  #closing = false
  /** Number of statements without a response, and the time of the last response or, if later, of the first of these statements. */
  #waiting = 0
  #lastReceived = 0
  #isHeld = false

  private constructor(
    { url, name }: SessionOptions,
    private readonly onLost: (error: DatabaseError) => void,
  ) {
    this.#client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: DATABASE_CONNECT_MILLISECONDS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
      // Sends statements without waiting for earlier responses.
      pipeline: true,
      types: TYPES,
    } as pg.ClientConfig)
    this.#client.on('error', (error) => this.#end(error))
    this.#client.on('end', () => this.#end(new Error('it was closed')))
  }

  /** @throws DatabaseError of the kind `lost` when the server cannot be reached or does not let this user in. */
  static async open(options: SessionOptions, onLost: (error: DatabaseError) => void): Promise<Session> {
    let opened = false
    const session = new Session(options, (error) => {
      if (opened) onLost(error)
    })
    try {
      await session.#client.connect()
      for (const setting of SETTINGS) await session.query(setting)
      // Not every operating system of a server can check for the end of a client while a statement runs.
      await session.query('SET client_connection_check_interval = 2000').catch(() => undefined)
    } catch (error) {
      await session.close()
      throw lost(`${serverName(options.url)}: ${saidBy(error)}`, (error as { code?: string }).code)
    }
    opened = true
    return session
  }

  get ended(): DatabaseError | undefined {
    return this.#ended
  }

  /** Process id of the session on the server. */
  get pid(): number {
    return (this.#client as unknown as { processID: number }).processID
  }

  /** Milliseconds without a response; 0: no response is pending. */
  get silence(): number {
    return this.#waiting === 0 || this.#ended ? 0 : performance.now() - this.#lastReceived
  }

  async query(text: string, parameters: readonly unknown[] = []): Promise<SessionResult> {
    if (this.#ended) throw this.#ended
    const values = parameters.map(sent)
    const prepared = this.#prepare(text, parameters)
    this.#holdTogether()
    if (this.#waiting++ === 0) this.#lastReceived = performance.now()
    try {
      const answer = await this.#client.query({
        text,
        ...(values.length > 0 ? { values } : {}),
        ...(prepared ? { name: prepared.name } : {}),
      })
      const result = Array.isArray(answer) ? (answer.at(-1) as pg.QueryResult) : answer
      return { rows: result.rows, command: result.command, count: result.rowCount ?? 0 }
    } catch (error) {
      throw this.#ended ?? errorOf(error)
    } finally {
      this.#waiting--
      this.#lastReceived = performance.now()
      if (prepared) prepared.isKnown = true
    }
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => listener(channel, payload ?? ''))
  }

  /** Close after all earlier requests are executed. */
  async close(): Promise<void> {
    this.#closing = true
    this.#ended ??= lost('it is closed')
    await this.#client.end().catch(() => undefined)
  }

  /** End the session as a network failure would. */
  destroy(error: Error): void {
    this.#end(error)
    this.#stream.destroy()
  }

  #end(error: Error): void {
    if (this.#ended) return
    this.#ended = lost(error.message, (error as { code?: string }).code)
    if (!this.#closing) this.onLost(this.#ended)
  }

  /** Statements of one turn are sent together: a transaction of thirty statements is one write to the system instead of thirty. */
  #holdTogether(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    const stream = this.#stream
    stream.cork()
    // Runs after the statements of this turn: once the promises that have settled by now have continued.
    process.nextTick(() => {
      this.#isHeld = false
      stream.uncork()
    })
  }

  get #stream(): Socket {
    return (this.#client as unknown as { connection: { stream: Socket } }).connection.stream
  }

  /** Until the server has prepared a statement, others with the same text do not rely on it: the preparing one may fail. */
  #prepare(text: string, parameters: readonly unknown[]): PreparedStatement | undefined {
    if (parameters.length === 0 || text.length > MAX_PREPARED_CHARACTERS) return undefined
    const known = this.#prepared.get(text)
    if (known) return known.isKnown ? known : undefined
    if (this.#prepared.size >= MAX_PREPARED) return undefined
    const prepared = { name: `medloom_${this.#prepared.size}`, isKnown: false }
    this.#prepared.set(text, prepared)
    return prepared
  }
}

interface PreparedStatement {
  readonly name: string
  /** True once the response to its first use has arrived. */
  isKnown: boolean
}

/** A 64-bit number for a name: locks of PostgreSQL are numbers. */
export function lockNumber(...name: readonly string[]): string {
  return createHash('sha256').update(name.join('\0')).digest().readBigInt64BE().toString()
}

/**
 * Read back the settings that make an acknowledged change survive a power failure.
 * @throws StartError when it would not survive.
 */
export async function checkServer(session: Session, url: string): Promise<void> {
  const { rows } = await session.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS standby, current_schema() AS schema, current_database() AS database`,
  )
  const is = rows[0] as Record<string, string | number | null>
  const wrong = (message: string, remedy: string) => new StartError(`${serverName(url)}: ${message}`, remedy)
  if (Number(is.version) < 140_000)
    throw wrong(
      `the PostgreSQL version of the server is ${is.version}, but 14 or later is required`,
      'Use PostgreSQL 14 or later.',
    )
  if (is.fsync !== 'on')
    throw wrong(
      'fsync is off on the server, so a power failure could damage the database',
      'Set fsync = on in postgresql.conf of the server, and reload the configuration.',
    )
  if (is.synchronous_commit === 'off')
    throw wrong(
      'synchronous_commit is off on the server, so a power failure could lose confirmed changes',
      `Turn it on with ALTER DATABASE "${is.database}" SET synchronous_commit = on, and also in the settings of the role and in the address.`,
    )
  if (is.encoding !== 'UTF8')
    throw wrong(
      `the encoding of the database is ${is.encoding}`,
      "Create it with ENCODING 'UTF8' TEMPLATE template0.",
    )
  if (is.standby === 1)
    throw wrong('the server is a read-only standby', 'Use the address of the primary server.')
  if (is.schema === null)
    throw wrong(
      'none of the schemas in the search path exists',
      'Create the schema, or set another one with ?options=-csearch_path%3Dmedloom at the end of the address.',
    )
}

/**
 * The session of a client that is gone ends within 8 s and releases its locks. A client that stops in the middle of a transaction, for
 * which all others wait, is ended.
 */
const SETTINGS = [
  `SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 4; SET tcp_user_timeout = 7000;
   SET idle_in_transaction_session_timeout = 10000; SET lock_timeout = 0; SET statement_timeout = 0;
   SET client_min_messages = error; SET default_transaction_isolation = 'read committed'`,
]

/** int8, numeric (the sum of int8 values) and bool as numbers. */
const NUMBERS = new Map<number, (text: string) => number>([
  [20, Number],
  [1700, Number],
  [16, (text) => (text === 't' ? 1 : 0)],
])

const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    NUMBERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** The value as SQLite stores it: PostgreSQL text cannot contain U+0000, and NaN becomes null. */
function sent(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  if (typeof value === 'number') return Number.isNaN(value) ? null : value
  if (value === null || value === undefined || typeof value === 'bigint' || value instanceof Uint8Array)
    return value
  throw new DatabaseError(`a value of the type ${typeof value} cannot be stored`, 'other', undefined)
}

/** If a name has several addresses, their errors are reported together. */
function saidBy(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: readonly Error[] }
  return message || (errors ?? []).map((one) => one.message).join('; ') || String(error)
}
