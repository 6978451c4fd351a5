import { type Phrase, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { type Cluster, fits, type Resources, type TrainerResources } from '../ports/resources.js'

/** @throws AppError DEVICE_UNAVAILABLE for a training that does not fit into the cluster, even if nothing else runs there. */
export function assertFits(resources: TrainerResources, cluster: Cluster): void {
  if (fits(resources, cluster)) return
  const { nodes } = resources
  throw new AppError(
    'DEVICE_UNAVAILABLE',
    phrase('training_needs_nodes', {
      resources: inWords(resources),
      nodes: [nodes === 1 ? phrase('one_node') : phrase('each_of_nodes', { count: nodes })],
      found: nodesInWords(cluster),
    }),
    phrase('request_fewer_resources'),
  )
}

/** `2 nodes with 4 cores and no GPU, 1 node with 8 cores and 2 GPUs` */
function nodesInWords({ nodes }: Cluster): Phrase[] {
  const kinds = new Map(nodes.map((node) => [keyOf(node), node]))
  if (kinds.size === 0) return [phrase('no_nodes')]
  return [...kinds].map(([key, node]) =>
    phrase('nodes_with', {
      count: nodes.filter((one) => keyOf(one) === key).length,
      resources: inWords(node),
    }),
  )
}

function keyOf({ cpus, gpus }: Resources): string {
  return `${cpus} ${gpus}`
}

function inWords({ cpus, gpus }: Resources): Phrase[] {
  return [
    phrase('cores_and_gpus', {
      cores: [phrase('cores', { count: cpus })],
      gpus: [gpus === 0 ? phrase('no_gpu') : phrase('gpus', { count: gpus })],
    }),
  ]
}
