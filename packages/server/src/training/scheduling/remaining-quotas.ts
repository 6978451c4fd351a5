import type { Admission, Waiting } from './waiting.js'

/** User → maximum number of their running jobs. Users that are not listed have no limit. */
export type RunningQuotas = ReadonlyMap<string, number>

/** Number of further jobs that each user may start, during a pass over the waiting ones. */
export class RemainingQuotas {
  /** Only for users who have a quota. */
  readonly #remaining: Map<string, number>

  constructor(quotas: RunningQuotas, running: readonly Admission[]) {
    this.#remaining = new Map(quotas)
    if (quotas.size > 0) for (const job of running) this.take(job)
  }

  /** Returns true if the owner of a job may run another one. */
  has({ owner }: Waiting): boolean {
    return !owner || (this.#remaining.get(owner) ?? 1) > 0
  }

  take({ owner }: Waiting): void {
    const remaining = owner ? this.#remaining.get(owner) : undefined
    if (owner && remaining !== undefined) this.#remaining.set(owner, remaining - 1)
  }
}
