import { LIMITS } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { shareOf } from '../people/share.js'

/**
 * Background tasks that run or wait, by owner. If there are several users, each has a share of the slots, so that the others can start
 * their tasks.
 */
export class TaskPlaces {
  #taken = 0
  readonly #byOwner = new Map<string, number>()

  constructor(private readonly most: number = LIMITS.running_tasks) {}

  /** @returns a function that releases the slot. @throws AppError QUEUE_FULL */
  take(owner: string | null, amongOthers: boolean): () => void {
    if (this.#taken >= this.most) throw new AppError('QUEUE_FULL', `${this.most} tasks run or wait already`)
    const theirs = owner === null ? 0 : (this.#byOwner.get(owner) ?? 0)
    if (owner !== null && amongOthers && theirs >= shareOf(this.most))
      throw new AppError(
        'QUEUE_FULL',
        `${theirs} tasks of ${owner} run or wait already; where there are several users, one may have ${shareOf(this.most)} of the ${this.most}`,
        'Wait until one of them has ended, or cancel one.',
      )
    this.#count(owner, 1)
    let taken = true
    return () => {
      if (taken) this.#count(owner, -1)
      taken = false
    }
  }

  #count(owner: string | null, change: 1 | -1): void {
    this.#taken += change
    if (owner === null) return
    const theirs = (this.#byOwner.get(owner) ?? 0) + change
    if (theirs > 0) this.#byOwner.set(owner, theirs)
    else this.#byOwner.delete(owner)
  }
}
