import { systemFault } from '../system-fault.js'

export interface GroupOptions<Item, Result> {
  /** One transaction for all items. When it rejects, nothing of any item is stored. */
  readonly store: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Items with the same key are stored in the order of their arrival, in consecutive transactions. */
  readonly keyOf: (item: Item) => string
  /** Share of a transaction that the item uses, in units of MOST_OF_A_GROUP. */
  readonly sizeOf: (item: Item) => number
  /** Returns true if an error that failed a group would also fail each of its items. */
  readonly failsAll: (error: unknown) => boolean
}

/** Groups in progress: the next one is prepared while the database commits the one before. */
const AT_ONCE = 2

/** Maximum size of one transaction, which everything else waits for: some milliseconds. A single item can be larger. */
export const MOST_OF_A_GROUP = 25
/** An item that has waited this long shows that storing is too slow: larger groups need fewer commits. */
const BEHIND_MILLISECONDS = 500
/** Factor by which groups are then larger. */
const LARGER = 4

/** Faults of the machine, which fail each item as they failed the group. */
export function isOfTheMachine(error: unknown): boolean {
  return systemFault(error) !== null
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly since: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Stores items together that arrive while others are being stored: a single item is stored at once, and a thousand items a second share
 * commits. If a group fails, each of its items is tried separately, so that none fails because of another.
 */
export class GroupCommit<Item, Result> {
  #waiting: Waiting<Item, Result>[] = []
  #inProgress = 0
  /** Keys of the groups in progress. */
  readonly #taken = new Set<string>()

  constructor(private readonly options: GroupOptions<Item, Result>) {}

  /** @returns the result of `store` for the item, once it is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, since: performance.now(), resolve, reject })
      void this.#storeAll()
    })
  }

  async #storeAll(): Promise<void> {
    if (this.#inProgress === AT_ONCE) return
    this.#inProgress += 1
    // Items that are added in this turn already belong to the first group.
    await Promise.resolve()
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) {
      await this.#storeGroup(group)
      for (const { item } of group) this.#taken.delete(this.options.keyOf(item))
    }
    this.#inProgress -= 1
  }

  /** Items in their order, until the group is full: an item whose key is in this group or in one in progress waits for a later one. */
  #nextGroup(): Waiting<Item, Result>[] {
    const { keyOf, sizeOf } = this.options
    const group: Waiting<Item, Result>[] = []
    const later: Waiting<Item, Result>[] = []
    const [oldest] = this.#waiting
    const isBehind = oldest !== undefined && performance.now() - oldest.since > BEHIND_MILLISECONDS
    const most = isBehind ? LARGER * MOST_OF_A_GROUP : MOST_OF_A_GROUP
    let size = 0
    let index = 0
    for (; index < this.#waiting.length; index++) {
      const waiting = this.#waiting[index] as Waiting<Item, Result>
      const key = keyOf(waiting.item)
      if (this.#taken.has(key)) {
        later.push(waiting)
        continue
      }
      size += sizeOf(waiting.item)
      if (group.length > 0 && size > most) break
      group.push(waiting)
      this.#taken.add(key)
    }
    this.#waiting = [...later, ...this.#waiting.slice(index)]
    return group
  }

  async #storeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.store(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || this.options.failsAll(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await this.#storeGroup([one])
    }
  }
}
