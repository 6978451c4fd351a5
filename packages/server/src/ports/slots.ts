import type { Capacity } from './launcher.js'

/**
 * Number of trainings with one process that may run in parallel: one for each accelerator; without accelerators, one on a machine and one
 * for each core of a cluster.
 */
export function slotsOf({ maxJobs, accelerators, cluster }: Capacity): number {
  return maxJobs ?? Math.max(1, cluster ? cluster.gpus || cluster.cpus : accelerators.length)
}
