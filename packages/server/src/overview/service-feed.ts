import type { ItemKind, ServiceState } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { BoundedMap } from '../concurrency/bounded-map.js'
import { Coalescer } from '../concurrency/coalescer.js'
import { repeatEvery } from '../concurrency/repeat-every.js'
import type { RowWritten } from '../database/written-rows.js'
import { FEED_LINGER_MILLISECONDS, SERVICE_FEED_MILLISECONDS, USAGE_MILLISECONDS } from '../durations.js'
import type { Item, ItemSources } from './item-sources.js'
import type { ServiceEvents } from './service-events.js'
import type { UsageReader } from './usage.js'

/** Tables whose rows are shown in lists, with the kind of their items. */
const KIND_OF = {
  jobs: 'job',
  workflow_runs: 'run',
  studies: 'study',
  study_trainings: 'study',
  models: 'model',
  datasets: 'dataset',
} as const satisfies Record<string, ItemKind>

/** Maximum number of remembered items per kind. An item that is no longer remembered is sent again when its row is written. */
const MAX_SENT = 5000

export interface ServiceFeedOptions {
  readonly events: ServiceEvents
  readonly sources: ItemSources
  readonly usage: Pick<UsageReader, 'read'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** The last state of an item that was sent, as JSON; null: that it is removed. */
interface SentState {
  readonly state: string | null
  /** True if sent to all as a message. A snapshot goes to a single watcher, so the others may not have the state yet. */
  readonly toAll: boolean
}

/** Notifies watchers of the service about changes of its items. Without watchers, it reads nothing. */
export class ServiceFeed {
  readonly #changed = new Map<ItemKind, Set<string>>()
  readonly #sent = new Map<ItemKind, BoundedMap<string, SentState>>()
  #following = false
  #unwatchedSince: number | null = null
  #usageDue = false
  #endUsage: () => void = () => undefined
  readonly #flush = new Coalescer(() => this.#publishAll(), {
    milliseconds: SERVICE_FEED_MILLISECONDS,
    onError: (error) =>
      this.options.log.warn({ err: error }, 'the watchers of the service were not notified of a change'),
  })

  constructor(private readonly options: ServiceFeedOptions) {}

  /** A watcher has connected: changes are followed from now on. */
  follow(): void {
    this.#unwatchedSince = null
    if (this.#following) return
    this.#following = true
    this.#endUsage = repeatEvery(USAGE_MILLISECONDS, () => this.#checkWatched())
  }

  /** Called when a snapshot was sent. */
  snapshotSent({ jobs, runs, studies, models, datasets }: ServiceState): void {
    const kinds = { job: jobs, run: runs, study: studies, model: models, dataset: datasets }
    for (const [kind, items] of Object.entries(kinds) as [ItemKind, Item[]][])
      for (const item of items) {
        const sent = this.#sentOf(kind)
        if (!sent.has(idOf(kind, item)))
          sent.set(idOf(kind, item), { state: JSON.stringify(item), toAll: false })
      }
  }

  close(): void {
    this.#following = false
    this.#endUsage()
    void this.#flush.cancel()
  }

  readonly written: RowWritten = (table, id) => {
    const kind = KIND_OF[table as keyof typeof KIND_OF]
    if (this.#following && kind) this.#touch(kind, id === null ? this.#sentOf(kind).keys() : [id])
  }

  #touch(kind: ItemKind, ids: Iterable<string>): void {
    const changed = this.#changed.get(kind) ?? new Set()
    this.#changed.set(kind, changed)
    for (const id of ids) changed.add(id)
    this.#flush.request()
  }

  #sentOf(kind: ItemKind): BoundedMap<string, SentState> {
    const sent = this.#sent.get(kind) ?? new BoundedMap<string, SentState>(MAX_SENT)
    this.#sent.set(kind, sent)
    return sent
  }

  #checkWatched(): void {
    const now = performance.now()
    if (this.options.events.isWatched) this.#unwatchedSince = null
    else this.#unwatchedSince ??= now
    if (now - (this.#unwatchedSince ?? now) > FEED_LINGER_MILLISECONDS) {
      this.#pause()
      return
    }
    this.#usageDue = true
    this.#flush.request()
  }

  #pause(): void {
    this.close()
    this.#changed.clear()
    this.#sent.clear()
    this.options.events.interrupt()
  }

  async #publishAll(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const [kind, ids] of changed) await this.#publish(kind, [...ids])
    if (!this.#usageDue) return
    this.#usageDue = false
    this.options.events.publish({ type: 'usage', usage: await this.options.usage.read() })
  }

  async #publish(kind: ItemKind, ids: readonly string[]): Promise<void> {
    const found: readonly Item[] = await this.options.sources[kind].find(ids)
    const items = new Map(found.map((item) => [idOf(kind, item), item]))
    const sent = this.#sentOf(kind)
    for (const id of ids) {
      const item = items.get(id)
      const state = item ? JSON.stringify(item) : null
      const before = sent.get(id)
      if (before?.toAll && state === before.state) continue
      sent.set(id, { state, toAll: true })
      if (item) this.options.events.publish({ type: kind, [kind]: item } as never)
      else this.options.events.publish({ type: 'removed', kind, id })
      if (!item || !before?.toAll || statusOf(before.state) !== statusOf(state))
        this.#othersChange(kind, before, state)
      // The progress of a study depends on that of its jobs.
      if (kind === 'job' && item && 'study_id' in item && item.study_id) this.#touch('study', [item.study_id])
    }
  }

  /** A new item, or a new status, changes counts, aliases of other models, and queue positions of waiting jobs. */
  #othersChange(kind: ItemKind, before: SentState | undefined, state: string | null): void {
    this.#usageDue = true
    if (kind === 'model') this.#touch(kind, this.#sentOf(kind).keys())
    if (kind !== 'job' || !before || state?.includes(WAITS)) return
    if (before.toAll && !before.state?.includes(WAITS)) return
    for (const [id, sent] of this.#sentOf(kind)) if (sent.state?.includes(WAITS)) this.#touch(kind, [id])
  }
}

const WAITS = '"status":"started"'

function idOf(kind: ItemKind, item: Item): string {
  return (item as unknown as Record<string, string>)[`${kind}_id`] ?? ''
}

function statusOf(state: string | null): string | undefined {
  return state ? (JSON.parse(state) as { status?: string }).status : undefined
}
