import { AppError } from '../errors.js'
import { type Cluster, fits, type Resources, type TrainerResources } from '../ports/resources.js'

/** @throws AppError DEVICE_UNAVAILABLE for a training that does not fit into the cluster, even if nothing else runs there. */
export function assertFits(resources: TrainerResources, cluster: Cluster): void {
  if (fits(resources, cluster)) return
  const { nodes } = resources
  throw new AppError(
    'DEVICE_UNAVAILABLE',
    `the training requires ${inWords(resources)} on ${nodes === 1 ? 'one node' : `each of ${nodes} nodes`}, but the cluster has ${nodesInWords(cluster)}`,
    'Request fewer resources in training.device or training.num_workers, or add nodes to the cluster.',
  )
}

/** `2 nodes with 4 cores and no GPU, 1 node with 8 cores and 2 GPUs` */
function nodesInWords({ nodes }: Cluster): string {
  const counts = new Map<string, number>()
  for (const node of nodes) counts.set(inWords(node), (counts.get(inWords(node)) ?? 0) + 1)
  if (counts.size === 0) return 'no nodes'
  return [...counts]
    .map(([what, count]) => `${count} ${count === 1 ? 'node' : 'nodes'} with ${what}`)
    .join(', ')
}

function inWords({ cpus, gpus }: Resources): string {
  const cores = `${cpus} ${cpus === 1 ? 'core' : 'cores'}`
  return `${cores} and ${gpus === 0 ? 'no GPU' : `${gpus} ${gpus === 1 ? 'GPU' : 'GPUs'}`}`
}
