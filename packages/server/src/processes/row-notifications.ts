import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../concurrency/coalescer.js'
import type { Database } from '../database/database.js'
import type { DatabaseServer } from '../database/dialect.js'
import type { RowWritten } from '../database/written-rows.js'

const CHANNEL = 'medloom_rows'
/** Rows that are written within this time are reported together. */
const TOGETHER_MILLISECONDS = 20
/** A notification has room for 7,900 bytes; an id takes 39 with its quotes. */
const IDS_AT_A_TIME = 150

export interface RowNotificationsOptions {
  readonly server: Pick<DatabaseServer, 'listen' | 'notify'>
  readonly written: Database['written']
  readonly log: Pick<FastifyBaseLogger, 'debug'>
}

interface RowNotification {
  readonly from: string
  readonly table: string
  /** Null: it may be any of its rows. */
  readonly ids: readonly string[] | null
}

/**
 * Processes that share the database notify each other of written rows, after the transaction that writes them. The notification is only a
 * hint: it may be lost, so receivers also poll from time to time.
 */
export class RowNotifications {
  readonly #self = randomUUID()
  readonly #written = new Map<string, Set<string | null>>()
  readonly #listeners = new Set<RowWritten>()
  readonly #notify = new Coalescer(() => this.#sendNotifications(), {
    milliseconds: TOGETHER_MILLISECONDS,
    onError: (error) =>
      this.options.log.debug({ err: error }, 'other processes were not notified of a written row'),
  })
  #stop: (() => Promise<void>) | undefined
  #ignore: () => void = () => undefined
  #closed = false

  constructor(private readonly options: RowNotificationsOptions) {}

  async start(): Promise<void> {
    const { server, written } = this.options
    this.#stop = await server.listen(CHANNEL, (payload) => this.#receive(payload))
    this.#ignore = written.listenHere((table, id) => this.#note(table, id))
  }

  /** Subscribe to rows that other processes have written. */
  onWritten(listener: RowWritten): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#ignore()
    void this.#notify.cancel()
    await this.#stop?.()
  }

  #note(table: string, id: string | null): void {
    const ids = this.#written.get(table) ?? new Set()
    this.#written.set(table, ids.add(id))
    this.#notify.request()
  }

  async #sendNotifications(): Promise<void> {
    const written = [...this.#written]
    this.#written.clear()
    for (const [table, ids] of written)
      for (const notification of notificationsOf(this.#self, table, ids)) {
        if (this.#closed) return
        await this.options.server.notify(CHANNEL, JSON.stringify(notification))
      }
  }

  #receive(payload: string | null): void {
    if (this.#closed) return
    if (payload === null) {
      for (const table of this.options.written.tables) this.#pass(table, null)
      return
    }
    const { from, table, ids } = JSON.parse(payload) as RowNotification
    if (from !== this.#self) for (const id of ids ?? [null]) this.#pass(table, id)
  }

  #pass(table: string, id: string | null): void {
    for (const listener of this.#listeners) listener(table, id)
  }
}

function notificationsOf(
  from: string,
  table: string,
  written: ReadonlySet<string | null>,
): RowNotification[] {
  if (written.has(null)) return [{ from, table, ids: null }]
  const ids = [...written] as string[]
  const notifications: RowNotification[] = []
  for (let index = 0; index < ids.length; index += IDS_AT_A_TIME)
    notifications.push({ from, table, ids: ids.slice(index, index + IDS_AT_A_TIME) })
  return notifications
}
