import { LIMITS, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { fairShare } from '../people/fair-share.js'

/**
 * Background tasks that run or wait, by owner. If there are several users, each has a share of the slots, so that the others can start
 * their tasks.
 */
export class TaskSlots {
  #taken = 0
  readonly #byOwner = new Map<string, number>()

  constructor(private readonly most: number = LIMITS.running_tasks) {}

  /** @returns a function that releases the slot. @throws AppError QUEUE_FULL */
  take(owner: string | null, amongOthers: boolean): () => void {
    if (this.#taken >= this.most)
      throw new AppError('QUEUE_FULL', phrase('tasks_at_limit', { count: this.most }))
    const theirs = owner === null ? 0 : (this.#byOwner.get(owner) ?? 0)
    if (owner !== null && amongOthers && theirs >= fairShare(this.most))
      throw new AppError(
        'QUEUE_FULL',
        phrase('tasks_of_user', {
          user: owner,
          count: theirs,
          share: fairShare(this.most),
          limit: this.most,
        }),
        phrase('wait_or_cancel'),
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
