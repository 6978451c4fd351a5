import { ServerConnection } from './server-connection.js'
import { lost } from './server-error.js'
import type { Session, SessionOptions } from './session.js'

type Handler = (payload: string | null) => void

/**
 * Notifications between processes, on a separate connection that receives them while the other connection is in a transaction. It
 * reconnects automatically; notifications in between are lost, and handlers are informed of that.
 */
export class Notifications {
  readonly #handlers = new Map<string, Set<Handler>>()
  #connecting: Promise<ServerConnection> | undefined
  #connection: ServerConnection | undefined

  constructor(private readonly options: SessionOptions) {}

  async listen(channel: string, handler: Handler): Promise<() => Promise<void>> {
    const connection = await this.#opened()
    const handlers = this.#handlers.get(channel) ?? new Set()
    const isFirst = handlers.size === 0
    this.#handlers.set(channel, handlers.add(handler))
    if (isFirst) await askIfOpen(connection, `LISTEN ${quoted(channel)}`)
    return async () => {
      handlers.delete(handler)
      if (handlers.size > 0 || !this.#handlers.delete(channel)) return
      await askIfOpen(connection, `UNLISTEN ${quoted(channel)}`)
    }
  }

  /** Connect, unless already connected. */
  async open(): Promise<void> {
    await this.#opened()
  }

  /** The session that receives notifications. @throws DatabaseError while there is none. */
  readonly session = (): Session => {
    if (!this.#connection) throw lost('it is not open')
    return this.#connection.session()
  }

  async close(): Promise<void> {
    this.#handlers.clear()
    await (await this.#connecting?.catch(() => undefined))?.close()
  }

  async #opened(): Promise<ServerConnection> {
    this.#connecting ??= this.#connect()
    try {
      this.#connection = await this.#connecting
      return this.#connection
    } catch (error) {
      this.#connecting = undefined
      throw error
    }
  }

  async #connect(): Promise<ServerConnection> {
    return ServerConnection.open({
      ...this.options,
      name: `${this.options.name}-listener`,
      reconnect: true,
      events: { onLost: () => undefined, onRestored: () => this.#notifyAll() },
      prepare: (session) => this.#begin(session),
    })
  }

  async #begin(session: Session): Promise<void> {
    session.onNotification((channel, payload) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload)
    })
    for (const channel of this.#handlers.keys()) await session.query(`LISTEN ${quoted(channel)}`)
  }

  #notifyAll(): void {
    for (const handlers of this.#handlers.values()) for (const handler of handlers) handler(null)
  }
}

/** Without a session nothing is sent: the next session subscribes to all current channels. */
async function askIfOpen(connection: ServerConnection, statement: string): Promise<void> {
  try {
    await connection.session().query(statement)
  } catch (error) {
    if ((error as { kind?: string }).kind !== 'lost') throw error
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
