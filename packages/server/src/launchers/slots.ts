import type { Capacity } from './launcher.js'

/** How many trainings of one process may run at a time: one for each accelerator; without any, one on a machine and one for each core of a cluster. */
export function slotsOf({ maxJobs, accelerators, cluster }: Capacity): number {
  return maxJobs ?? Math.max(1, cluster ? cluster.gpus || cluster.cpus : accelerators.length)
}
