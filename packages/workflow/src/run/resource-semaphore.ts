import type { Resource } from '@medloom/contracts'
import type { Cancellation } from './cancellation.js'
import { FairQueue } from './fair-queue.js'

/** Limits the number of nodes that use a resource at once. Shared by all runs of a service, which take turns. */
export class ResourceSemaphore {
  private readonly free: Record<Resource, number>
  private readonly waiting: Record<Resource, FairQueue<() => void>> = {
    cpu: new FairQueue(),
    gpu: new FairQueue(),
    io: new FairQueue(),
  }

  constructor(capacity: Readonly<Record<Resource, number>>) {
    for (const [resource, count] of Object.entries(capacity))
      if (!(count >= 1)) throw new RangeError(`the capacity of ${resource} must be at least 1, not ${count}`)
    this.free = { ...capacity }
  }

  /**
   * @param onWait called if the resource is not free immediately
   * @param run the requesting run: its longest waiting node is served when it is the run's turn.
   * @returns a function that releases the resource; undefined if the wait was canceled.
   */
  async acquire(
    resource: Resource,
    cancellation: Cancellation,
    run: object,
    onWait: () => void = () => {},
  ): Promise<(() => void) | undefined> {
    if (cancellation.requested) return undefined
    if (this.free[resource] > 0) this.free[resource]--
    else {
      const turn = this.turn(resource, cancellation, run)
      onWait()
      if (!(await turn)) return undefined
    }
    let held = true
    return () => {
      if (held) this.release(resource)
      held = false
    }
  }

  private turn(resource: Resource, cancellation: Cancellation, run: object): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = this.waiting[resource].add(run, () => {
        forget()
        resolve(true)
      })
      const forget = cancellation.onRequest(() => {
        leave()
        resolve(false)
      })
    })
  }

  /** Increases the capacity of a resource. */
  add(resource: Resource, count: number): void {
    for (let added = 0; added < count; added++) this.release(resource)
  }

  private release(resource: Resource): void {
    const next = this.waiting[resource].take()
    if (next) next()
    else this.free[resource]++
  }
}
