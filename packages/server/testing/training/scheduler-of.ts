import { Scheduler } from '../../src/training/scheduling/scheduler.js'

/** The slots of a machine with these accelerators, without waiting jobs. */
export function schedulerOf(...accelerators: string[]): Scheduler {
  return new Scheduler(
    async () => ({ accelerators, maxJobs: null }),
    async () => null,
    { isShut: false, shut: () => undefined },
  )
}
