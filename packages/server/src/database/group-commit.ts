import { systemFault } from '../storage/system-fault.js'

export interface GroupOptions<Item, Result> {
  /** One transaction for all of them. When it rejects, nothing of any of them is stored. */
  readonly store: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Items of one key are stored in the order in which they came, each in a transaction after the other. */
  readonly keyOf: (item: Item) => string
  /** How much of a transaction it takes, of MOST_OF_A_GROUP. */
  readonly sizeOf: (item: Item) => number
  /** Whether what failed a group would fail each of its items too. */
  readonly failsAll: (error: unknown) => boolean
}

/** Groups in progress: the next one is made while the database commits the one before. */
const AT_ONCE = 2

/** So much is stored in one transaction, which everything else waits for: some milliseconds. One item may be more. */
export const MOST_OF_A_GROUP = 25
/** An item that has waited so long says that too little is stored: groups of more need fewer commits. */
const BEHIND_MILLISECONDS = 500
/** Of a group then, in times of another one. */
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
 * Stores together what comes while other work is being stored: one item alone waits for nothing, and of a thousand a second each still
 * has its commit, which it shares. An item that fails its group is tried alone, and so are the others, so that none fails for another.
 */
export class GroupCommit<Item, Result> {
  #waiting: Waiting<Item, Result>[] = []
  #inProgress = 0
  /** Keys of the groups in progress. */
  readonly #taken = new Set<string>()

  constructor(private readonly options: GroupOptions<Item, Result>) {}

  /** @returns what `store` returned of the item, once it is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, since: performance.now(), resolve, reject })
      void this.#storeAll()
    })
  }

  async #storeAll(): Promise<void> {
    if (this.#inProgress === AT_ONCE) return
    this.#inProgress += 1
    // What is added in this turn belongs to the first group already.
    await Promise.resolve()
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) {
      await this.#storeGroup(group)
      for (const { item } of group) this.#taken.delete(this.options.keyOf(item))
    }
    this.#inProgress -= 1
  }

  /** In their order, until it is full: what has a key of this group or of one in progress stays for a later one. */
  #nextGroup(): Waiting<Item, Result>[] {
    const { keyOf, sizeOf } = this.options
    const group: Waiting<Item, Result>[] = []
    const later: Waiting<Item, Result>[] = []
    const [oldest] = this.#waiting
    const isBehind = oldest !== undefined && performance.now() - oldest.since > BEHIND_MILLISECONDS
    const most = isBehind ? LARGER * MOST_OF_A_GROUP : MOST_OF_A_GROUP
    let size = 0
    let at = 0
    for (; at < this.#waiting.length; at++) {
      const waiting = this.#waiting[at] as Waiting<Item, Result>
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
    this.#waiting = [...later, ...this.#waiting.slice(at)]
    return group
  }

  async #storeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.store(group.map(({ item }) => item))
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result)
    } catch (error) {
      if (group.length === 1 || this.options.failsAll(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await this.#storeGroup([one])
    }
  }
}
