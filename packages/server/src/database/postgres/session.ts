import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { StartError } from '../../errors.js'
import { DatabaseError } from '../database-error.js'
import { errorOf, lost } from './server-error.js'
import { serverName } from './server-url.js'

/** Statements that stay prepared; those of many parameters come in many lengths and are planned each time. */
const MAX_PREPARED = 400
const MAX_PREPARED_CHARACTERS = 4000
const CONNECT_MILLISECONDS = 5000

export interface SessionOptions {
  readonly url: string
  /** What the server calls the session, as in pg_stat_activity. */
  readonly name: string
}

export interface SessionResult {
  readonly rows: Record<string, unknown>[]
  /** SELECT, INSERT, COMMIT …; of the last of several statements. */
  readonly command: string
  /** Rows read or changed. */
  readonly count: number
}

/**
 * One connection to the server. Statements are sent as they are asked and done in that order; none waits for the response to the one
 * before. Once it has ended, everything fails with `lost`.
 */
export class Session {
  readonly #client: pg.Client
  readonly #prepared = new Map<string, PreparedStatement>()
  #ended: DatabaseError | undefined
  #closing = false
  /** Statements without a response, and when the last one came, or the first of these was sent. */
  #waiting = 0
  #heard = 0
  #isHeld = false

  private constructor(
    { url, name }: SessionOptions,
    private readonly onLost: (error: DatabaseError) => void,
  ) {
    this.#client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
      // Sends what is asked without waiting for the response to what was asked before.
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
      // Not every system that servers run on can look for the end of a client while it works.
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

  /** As the server numbers it. */
  get pid(): number {
    return (this.#client as unknown as { processID: number }).processID
  }

  /** Milliseconds for which a response has been waited for; 0: for none. */
  get silence(): number {
    return this.#waiting === 0 || this.#ended ? 0 : performance.now() - this.#heard
  }

  async query(text: string, parameters: readonly unknown[] = []): Promise<SessionResult> {
    if (this.#ended) throw this.#ended
    const values = parameters.map(sent)
    const prepared = this.#prepare(text, parameters)
    this.#holdTogether()
    if (this.#waiting++ === 0) this.#heard = performance.now()
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
      this.#heard = performance.now()
      if (prepared) prepared.isKnown = true
    }
  }

  onNotification(told: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => told(channel, payload ?? ''))
  }

  /** After everything that was asked. */
  async close(): Promise<void> {
    this.#closing = true
    this.#ended ??= lost('it is closed')
    await this.#client.end().catch(() => undefined)
  }

  /** End it as if the network had. */
  destroy(error: Error): void {
    this.#end(error)
    this.#stream.destroy()
  }

  #end(error: Error): void {
    if (this.#ended) return
    this.#ended = lost(error.message, (error as { code?: string }).code)
    if (!this.#closing) this.onLost(this.#ended)
  }

  /** Statements of one turn travel together: a transaction of thirty is one write to the system, not thirty. */
  #holdTogether(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    const stream = this.#stream
    stream.cork()
    // After what is asked in this turn: once the promises that have settled by now have gone on.
    process.nextTick(() => {
      this.#isHeld = false
      stream.uncork()
    })
  }

  get #stream(): Socket {
    return (this.#client as unknown as { connection: { stream: Socket } }).connection.stream
  }

  /** Until the server has prepared a statement, those of the same text do not rely on it: what prepares it may fail. */
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
  /** Whether the response to its first use has come. */
  isKnown: boolean
}

/** 64 bits for a name: locks of PostgreSQL are numbers. */
export function lockNumber(...name: readonly string[]): string {
  return createHash('sha256').update(name.join('\0')).digest().readBigInt64BE().toString()
}

/**
 * Read back what keeps an acknowledged change through a power failure.
 * @throws StartError when it would not.
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
    throw wrong(`the server is older than PostgreSQL 14 (${is.version})`, 'Use PostgreSQL 14 or later.')
  if (is.fsync !== 'on')
    throw wrong(
      'fsync is off, so a power failure would damage the database',
      'Set fsync = on in postgresql.conf of the server, and reload it.',
    )
  if (is.synchronous_commit === 'off')
    throw wrong(
      'synchronous_commit is off, so a power failure would undo what was acknowledged',
      `Turn it on: ALTER DATABASE "${is.database}" SET synchronous_commit = on; also where the role or the address sets it.`,
    )
  if (is.encoding !== 'UTF8')
    throw wrong(
      `the encoding of the database is ${is.encoding}`,
      "Create it with ENCODING 'UTF8' TEMPLATE template0.",
    )
  if (is.standby === 1) throw wrong('the server is a standby, which only reads', 'Name the primary server.')
  if (is.schema === null)
    throw wrong(
      'no schema of the search path exists',
      'Create the schema, or name another one: ?options=-csearch_path%3Dmedloom at the end of the address.',
    )
}

/**
 * The session of a client that is gone ends within 8 s, and its locks with it. One that stops in the middle of a transaction, on which
 * all others wait, is ended.
 */
const SETTINGS = [
  `SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 4; SET tcp_user_timeout = 7000;
   SET idle_in_transaction_session_timeout = 10000; SET lock_timeout = 0; SET statement_timeout = 0;
   SET client_min_messages = error; SET default_transaction_isolation = 'read committed'`,
]

/** int8, numeric (what int8 are summed to) and bool as numbers. */
const NUMBERS = new Map<number, (text: string) => number>([
  [20, Number],
  [1700, Number],
  [16, (text) => (text === 't' ? 1 : 0)],
])

const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    NUMBERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** As SQLite takes it: no text of PostgreSQL has the character U+0000, and no number that is none is kept. */
function sent(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  if (typeof value === 'number') return Number.isNaN(value) ? null : value
  if (value === null || value === undefined || typeof value === 'bigint' || value instanceof Uint8Array)
    return value
  throw new DatabaseError(`a value of the type ${typeof value} cannot be stored`, 'other', undefined)
}

/** Several addresses of one name fail together. */
function saidBy(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: readonly Error[] }
  return message || (errors ?? []).map((one) => one.message).join('; ') || String(error)
}
