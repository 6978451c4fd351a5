import type { Workflow } from '@medloom/contracts'
import { MemoryCache } from '../src/cache/memory-cache.js'
import { Cancellation } from '../src/run/cancellation.js'
import type { Executors } from '../src/run/executor.js'
import { ResourceSemaphore } from '../src/run/resource-semaphore.js'
import { runWorkflow } from '../src/run/run.js'
import type { RunOptions } from '../src/run/run-options.js'
import type { RunEvent } from '../src/run/run-state.js'
import { SingleFlight } from '../src/run/single-flight.js'
import { arithmetic, tensor, validated } from './arithmetic.js'
import { ManualClock } from './manual-clock.js'

/** Software versions of the environment. */
export const VERSIONS = { medloom_trainer: '0.1.0', torch: '2.9.1', numpy: '2.0' }

/** A miniature service: one cache, one set of resources, one single flight for all its runs; it records executed nodes. */
export class Workbench {
  readonly clock = new ManualClock()
  readonly cache: MemoryCache
  readonly resources = new ResourceSemaphore({ cpu: 4, gpu: 1, io: 4 })
  readonly singleFlight = new SingleFlight()
  readonly events: RunEvent[] = []
  /** Ids of nodes in the order of their execution. */
  readonly executed: string[] = []

  constructor(
    private readonly executors: Executors = arithmetic,
    cache: { timeToLive?: number; maxEntries?: number } = {},
  ) {
    this.cache = new MemoryCache({ clock: this.clock, ...cache })
  }

  run(workflow: Workflow, options: Partial<RunOptions> = {}) {
    return runWorkflow({
      workflow: 'w',
      validated: validated(workflow),
      executors: this.counting(),
      cache: this.cache,
      clock: this.clock,
      resources: this.resources,
      singleFlight: this.singleFlight,
      software: async () => VERSIONS,
      onEvent: (event) => this.events.push(event),
      cancellation: new Cancellation(),
      ...options,
    })
  }

  /** Runs a workflow and returns the executed nodes. */
  async executedBy(workflow: Workflow, options: Partial<RunOptions> = {}): Promise<string[]> {
    const before = this.executed.length
    await this.run(workflow, options)
    return this.executed.slice(before).sort()
  }

  private counting(): Executors {
    return Object.fromEntries(
      Object.entries(this.executors).map(([type, execute]) => [
        type,
        (task) => {
          this.executed.push(task.node)
          return execute(task)
        },
      ]),
    )
  }
}

/** An empty cache, for plans. */
export const EMPTY_CACHE = { peekMany: async () => new Map<string, never>() }

/** A promise that a test settles. */
export function gate<T = void>() {
  let open: (value: T) => void = () => {}
  let fail: (thrown: unknown) => void = () => {}
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { promise, open, fail }
}

/** The output of a node that first waits for a promise. */
export async function once(promise: Promise<unknown>) {
  await promise
  return { out: tensor(1) }
}

/** The output of a node that first performs side effects. */
export function having(...effects: unknown[]) {
  return { out: tensor(effects.length) }
}

/** Waits until everything that is ready has happened. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}
