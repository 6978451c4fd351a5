import type { ItemKind, ServiceState } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { RowWritten } from '../database/written-rows.js'
import type { Item, ItemSources } from './item-sources.js'
import type { ServiceEvents } from './service-events.js'
import type { UsageReader } from './usage.js'

/** Tables whose rows are shown in lists: what their items are. */
const KIND_OF = {
  jobs: 'job',
  workflow_runs: 'run',
  studies: 'study',
  study_trainings: 'study',
  models: 'model',
  datasets: 'dataset',
} as const satisfies Record<string, ItemKind>

/** Changes of an item within this time are told as one. */
const TOGETHER_MILLISECONDS = 400
const USAGE_MILLISECONDS = 5000
/** Changes are followed so long after the last who watched has gone: he may come back. */
const LINGER_MILLISECONDS = 60_000
/** Of each kind. What was told longer ago is told again when its row is written. */
const MAX_TOLD = 5000

export interface ServiceFeedOptions {
  readonly events: ServiceEvents
  readonly sources: ItemSources
  readonly usage: Pick<UsageReader, 'read'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** The last that is known to have been told of an item, as JSON; null: that it is removed. */
interface Told {
  readonly state: string | null
  /** By a message. A snapshot was sent to one of those who watch, and the others may not know yet. */
  readonly toAll: boolean
}

/** Tells who watches the service what became of its items. While nobody watches it reads nothing. */
export class ServiceFeed {
  readonly #changed = new Map<ItemKind, Set<string>>()
  readonly #told = new Map<ItemKind, Map<string, Told>>()
  #following = false
  #unwatchedSince: number | null = null
  #telling = false
  #usageDue = false
  #timer: NodeJS.Timeout | undefined
  #usageTimer: NodeJS.Timeout | undefined

  constructor(private readonly options: ServiceFeedOptions) {}

  /** Somebody watches: from here on changes are followed. */
  follow(): void {
    this.#unwatchedSince = null
    if (this.#following) return
    this.#following = true
    this.#usageTimer = setInterval(() => this.#look(), USAGE_MILLISECONDS).unref()
  }

  /** A snapshot was sent. */
  told({ jobs, runs, studies, models, datasets }: ServiceState): void {
    const kinds = { job: jobs, run: runs, study: studies, model: models, dataset: datasets }
    for (const [kind, items] of Object.entries(kinds) as [ItemKind, Item[]][])
      for (const item of items) {
        const told = this.#toldOf(kind)
        if (!told.has(idOf(kind, item)))
          told.set(idOf(kind, item), { state: JSON.stringify(item), toAll: false })
      }
  }

  close(): void {
    this.#following = false
    clearInterval(this.#usageTimer)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly written: RowWritten = (table, id) => {
    const kind = KIND_OF[table as keyof typeof KIND_OF]
    if (this.#following && kind) this.#touch(kind, id === null ? this.#toldOf(kind).keys() : [id])
  }

  #touch(kind: ItemKind, ids: Iterable<string>): void {
    const changed = this.#changed.get(kind) ?? new Set()
    this.#changed.set(kind, changed)
    for (const id of ids) changed.add(id)
    this.#soon()
  }

  #toldOf(kind: ItemKind): Map<string, Told> {
    const told = this.#told.get(kind) ?? new Map<string, Told>()
    this.#told.set(kind, told)
    return told
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), TOGETHER_MILLISECONDS).unref()
  }

  #look(): void {
    const now = performance.now()
    if (this.options.events.isWatched) this.#unwatchedSince = null
    else this.#unwatchedSince ??= now
    if (now - (this.#unwatchedSince ?? now) > LINGER_MILLISECONDS) {
      this.#rest()
      return
    }
    this.#usageDue = true
    this.#soon()
  }

  #rest(): void {
    this.close()
    this.#changed.clear()
    this.#told.clear()
    this.options.events.interrupt()
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    if (this.#telling) {
      this.#soon()
      return
    }
    this.#telling = true
    try {
      const changed = [...this.#changed]
      this.#changed.clear()
      for (const [kind, ids] of changed) await this.#tell(kind, [...ids])
      if (this.#usageDue) {
        this.#usageDue = false
        this.options.events.publish({ type: 'usage', usage: await this.options.usage.read() })
      }
    } catch (error) {
      this.options.log.warn({ err: error }, 'those who watch the service were not told of a change')
    } finally {
      this.#telling = false
    }
  }

  async #tell(kind: ItemKind, ids: readonly string[]): Promise<void> {
    const found: readonly Item[] = await this.options.sources[kind].find(ids)
    const items = new Map(found.map((item) => [idOf(kind, item), item]))
    const told = this.#toldOf(kind)
    for (const id of ids) {
      const item = items.get(id)
      const state = item ? JSON.stringify(item) : null
      const before = told.get(id)
      if (before?.toAll && state === before.state) continue
      told.set(id, { state, toAll: true })
      if (item) this.options.events.publish({ type: kind, [kind]: item } as never)
      else this.options.events.publish({ type: 'removed', kind, id })
      if (!item || !before?.toAll || statusOf(before.state) !== statusOf(state))
        this.#othersChange(kind, before, state)
      // The progress of a study is that of its jobs.
      if (kind === 'job' && item && 'study_id' in item && item.study_id) this.#touch('study', [item.study_id])
    }
    while (told.size > MAX_TOLD) told.delete(told.keys().next().value ?? '')
  }

  /** A new item, or a new status: counts change, aliases of other models, and places of jobs that wait. */
  #othersChange(kind: ItemKind, before: Told | undefined, state: string | null): void {
    this.#usageDue = true
    if (kind === 'model') this.#touch(kind, this.#toldOf(kind).keys())
    if (kind !== 'job' || !before || state?.includes(WAITS)) return
    if (before.toAll && !before.state?.includes(WAITS)) return
    for (const [id, told] of this.#toldOf(kind)) if (told.state?.includes(WAITS)) this.#touch(kind, [id])
  }
}

const WAITS = '"status":"started"'

function idOf(kind: ItemKind, item: Item): string {
  return (item as unknown as Record<string, string>)[`${kind}_id`] ?? ''
}

function statusOf(state: string | null): string | undefined {
  return state ? (JSON.parse(state) as { status?: string }).status : undefined
}
