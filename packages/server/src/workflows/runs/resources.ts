import type { Resource } from '@medloom/contracts'
import type { Capacity } from '../../ports/launcher.js'
import { slotsOf } from '../../ports/slots.js'

/**
 * Number of nodes that may use a resource at the same time: a GPU node per GPU, or the number of parallel trainings if that is greater; one
 * on a CPU. The scheduler of the jobs decides which accelerator a node gets, and when.
 */
export function resourcesOf(capacity: Capacity): Record<Resource, number> {
  return { cpu: 2, gpu: Math.max(capacity.accelerators.length, slotsOf(capacity)), io: 4 }
}
