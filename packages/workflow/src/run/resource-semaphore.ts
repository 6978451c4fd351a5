import type { Resource } from '@medloom/contracts'
import type { Cancellation } from './cancellation.js'

/** Limits how many nodes use a resource at once. Shared by all runs of a service; who waits longest is served first. */
export class ResourceSemaphore {
  private readonly free: Record<Resource, number>
  private readonly waiting: Record<Resource, Set<() => void>> = {
    cpu: new Set(),
    gpu: new Set(),
    io: new Set(),
  }

  constructor(capacity: Readonly<Record<Resource, number>>) {
    for (const [resource, count] of Object.entries(capacity))
      if (!(count >= 1)) throw new RangeError(`the capacity of ${resource} must be at least 1, not ${count}`)
    this.free = { ...capacity }
  }

  /** A function that releases the resource; undefined when the wait was cancelled. */
  async acquire(resource: Resource, cancellation: Cancellation): Promise<(() => void) | undefined> {
    if (cancellation.requested) return undefined
    if (this.free[resource] > 0) this.free[resource]--
    else if (!(await this.turn(resource, cancellation))) return undefined
    let held = true
    return () => {
      if (held) this.release(resource)
      held = false
    }
  }

  private turn(resource: Resource, cancellation: Cancellation): Promise<boolean> {
    return new Promise((resolve) => {
      const queue = this.waiting[resource]
      const granted = () => {
        forget()
        resolve(true)
      }
      queue.add(granted)
      const forget = cancellation.onRequest(() => {
        queue.delete(granted)
        resolve(false)
      })
    })
  }

  /** Raise the capacity of a resource. */
  add(resource: Resource, count: number): void {
    for (let added = 0; added < count; added++) this.release(resource)
  }

  private release(resource: Resource): void {
    const [next] = this.waiting[resource]
    if (!next) {
      this.free[resource]++
      return
    }
    this.waiting[resource].delete(next)
    next()
  }
}
