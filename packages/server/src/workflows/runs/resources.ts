import type { Resource } from '@medloom/contracts'
import type { Capacity } from '../../launchers/launcher.js'
import { slotsOf } from '../../launchers/slots.js'

/**
 * How many nodes may use a resource at once: a GPU node per GPU, or as many as trainings may run where that is more; one on a CPU. Which
 * accelerator a node gets, and when, is decided by the scheduler of the jobs.
 */
export function resourcesOf(capacity: Capacity): Record<Resource, number> {
  return { cpu: 2, gpu: Math.max(capacity.accelerators.length, slotsOf(capacity)), io: 4 }
}
