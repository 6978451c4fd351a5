import type { Admission, Waiting } from './waiting.js'

/** User → how many jobs of theirs may run at the same time. Who is not named has no limit. */
export type RunningQuotas = ReadonlyMap<string, number>

/** How many more jobs of each user may start, while the waiting ones are looked at. */
export class QuotaRoom {
  /** Of users who have a quota. */
  readonly #left: Map<string, number>

  constructor(quotas: RunningQuotas, running: readonly Admission[]) {
    this.#left = new Map(quotas)
    if (quotas.size > 0) for (const job of running) this.take(job)
  }

  /** Whether the owner of a job may have one more running. */
  has({ owner }: Waiting): boolean {
    return !owner || (this.#left.get(owner) ?? 1) > 0
  }

  take({ owner }: Waiting): void {
    const left = owner ? this.#left.get(owner) : undefined
    if (owner && left !== undefined) this.#left.set(owner, left - 1)
  }
}
