import { readDevice } from '@medloom/contracts'
import type { Capacity } from '../../launchers/launcher.js'
import { resourcesOf, type TrainerResources } from '../../launchers/resources.js'
import type { Admission } from './waiting.js'

/** What a job that starts was given. */
export interface Grant {
  /** What it occupies. */
  readonly places: readonly string[]
  /** In its spec. */
  readonly device: string
  readonly num_workers: number | null
  readonly resources: TrainerResources
}

/** What an admitted job is told. Of a cluster it sees only what it was given: accelerators are counted from 0 there, and so are cores. */
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

/** The device in the spec of a job: the accelerator it was given, where there is a choice. */
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
