import { Scheduler } from '../../src/training/scheduling/scheduler.js'

/** The places of a machine with these accelerators, on which no job waits. */
export function schedulerOf(...accelerators: string[]): Scheduler {
  return new Scheduler(
    async () => ({ accelerators, maxJobs: null }),
    async () => null,
    { isShut: false, shut: () => undefined },
  )
}
