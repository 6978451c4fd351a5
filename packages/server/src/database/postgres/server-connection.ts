import { backoff } from '@medloom/contracts'
import { poll } from '../../concurrency/poll.js'
import { DATABASE_FIRST_RETRY_MILLISECONDS, DATABASE_LONGEST_RETRY_MILLISECONDS } from '../../durations.js'
import type { DatabaseError } from '../database-error.js'
import type { ConnectionEvents } from '../dialect.js'
import { lost } from './server-error.js'
import { checkServer, Session, type SessionOptions } from './session.js'
import { type WatchOptions, watchSession } from './session-watch.js'

export interface ServerConnectionOptions extends SessionOptions, WatchOptions {
  /** True if a new session replaces a lost one. */
  readonly reconnect: boolean
  readonly events: ConnectionEvents
  /** Run on each session before anything else. */
  readonly prepare?: (session: Session) => Promise<void>
}

/** The current session, and the next one after it is lost. Requests of a lost session fail and are not retried. */
export class ServerConnection {
  #session: Session | DatabaseError
  readonly #closed = new AbortController()

  private constructor(private readonly options: ServerConnectionOptions) {
    this.#session = lost('it is not open yet')
  }

  /** @throws StartError, DatabaseError when there is no first session. */
  static async open(options: ServerConnectionOptions): Promise<ServerConnection> {
    const connection = new ServerConnection(options)
    await connection.#connect()
    return connection
  }

  /** @throws DatabaseError while there is no session. */
  readonly session = (): Session => {
    if (this.#session instanceof Session) return this.#session
    throw this.#session
  }

  async close(): Promise<void> {
    this.#closed.abort()
    const session = this.#session
    this.#session = lost('it is closed')
    if (session instanceof Session) await session.close()
  }

  async #connect(): Promise<void> {
    const session = await Session.open(this.options, (error) => this.#lose(error))
    try {
      await checkServer(session, this.options.url)
      await this.options.prepare?.(session)
    } catch (error) {
      await session.close()
      throw error
    }
    if (this.#closed.signal.aborted) return session.close()
    this.#session = session
    watchSession(session, this.options)
  }

  #lose(error: DatabaseError): void {
    // A session that was never returned to a caller fails in `open`.
    if (!(this.#session instanceof Session)) return
    this.#session = error
    this.options.events.onLost(error)
    if (this.options.reconnect) void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    await untilConnected(() => this.#connect(), this.#closed.signal)
    if (!this.#closed.signal.aborted) this.options.events.onRestored?.()
  }
}

export function untilServerAnswers(options: SessionOptions, signal: AbortSignal): Promise<void> {
  return untilConnected(async () => {
    const session = await Session.open(options, () => undefined)
    try {
      await checkServer(session, options.url)
    } finally {
      await session.close()
    }
  }, signal)
}

/** Retries until it succeeds, with growing pauses. */
async function untilConnected(connect: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const attempt = () =>
    connect().then(
      () => true,
      () => undefined,
    )
  await poll(attempt, {
    delay: backoff(DATABASE_FIRST_RETRY_MILLISECONDS, DATABASE_LONGEST_RETRY_MILLISECONDS),
    signal,
    keepsAlive: true,
  })
}
