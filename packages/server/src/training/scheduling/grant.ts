import { readDevice } from '@medloom/contracts'
import type { Capacity } from '../../ports/launcher.js'
import { resourcesOf, type TrainerResources } from '../../ports/resources.js'
import type { Admission } from './waiting.js'

/** Slots and resources granted to a job that starts. */
export interface Grant {
  /** The slots that it occupies. */
  readonly places: readonly string[]
  /** Device in its spec. */
  readonly device: string
  readonly num_workers: number | null
  readonly resources: TrainerResources
}

/**
 * The grant of an admitted job. On a cluster, a job sees only its own resources: its accelerators are numbered from 0, and so are its
 * cores.
 */
export function grantOf(job: Admission, capacity: Capacity): Grant {
  const resources = resourcesOf(job, capacity.cluster)
  const { places, num_workers } = job
  return {
    places,
    device: deviceFor(job, capacity),
    num_workers: capacity.cluster ? resources.cpus : num_workers,
    resources,
  }
}

/** The device in the spec of a job: its granted accelerator, if there is a choice. */
function deviceFor({ device, places, num_workers }: Admission, { accelerators, cluster }: Capacity): string {
  if (cluster) return deviceOnCluster(device, resourcesOf({ device, num_workers }, cluster))
  const [place] = places
  const open = device === 'auto' || device === 'cuda'
  return open && accelerators.length > 1 && place?.startsWith('cuda:') ? place : device
}

function deviceOnCluster(device: string, { gpus }: TrainerResources): string {
  const { kind, numbers } = readDevice(device)
  if (kind === 'auto') return gpus > 0 ? 'cuda' : 'cpu'
  if (numbers === null) return device
  return numbers.length === 1 ? 'cuda' : `cuda:${numbers.map((_, index) => index).join(',')}`
}
