import type { Resource } from '@medloom/contracts'
import type { Capacity } from '../../launchers/launcher.js'

/**
 * How many nodes may use a resource at once: a GPU node per GPU, or as many as trainings may run where that is more; one on a CPU. Which
 * accelerator a node gets, and when, is decided by the scheduler of the jobs.
 */
export function resourcesOf({ accelerators, maxJobs }: Capacity): Record<Resource, number> {
  return { cpu: 2, gpu: Math.max(1, accelerators.length, maxJobs ?? 1), io: 4 }
}
