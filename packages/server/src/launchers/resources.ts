import { readDevice, type TrainingConfig } from '@medloom/contracts'

/** Amounts that a cluster has or a trainer takes. */
export interface Resources {
  readonly cpus: number
  readonly gpus: number
}

/** What a trainer takes. The amounts are of each of its nodes. */
export interface TrainerResources extends Resources {
  readonly nodes: number
  /** On each node. */
  readonly processes: number
}

/** What there is on a cluster, all together: jobs take amounts wherever they are free, not accelerators by name. */
export interface Cluster extends Resources {
  /** Each node that it has, also one that is lost and may come back: what fits none of them will never fit. */
  readonly nodes: readonly Resources[]
  /** It has just come up, or become larger: what fits none of its nodes may fit one that joins it yet. */
  readonly isGrowing?: boolean
}

type Training = Pick<TrainingConfig['training'], 'device' | 'num_workers'>

/**
 * What the trainer of a configuration takes. A process takes a GPU and its share of the cores of the node, or a core; num_workers says
 * otherwise, up to the cores of a node. Pure.
 */
export function resourcesOf({ device, num_workers }: Training, cluster?: Cluster): TrainerResources {
  const { kind, nodes, processes } = readDevice(device)
  const gpus = kind === 'cuda' || (kind === 'auto' && (cluster?.gpus ?? 0) > 0) ? processes : 0
  const share = gpus > 0 ? processes * coresOfGpu(cluster?.nodes ?? []) : processes
  const cores = Math.min(num_workers ?? share, mostCores(cluster?.nodes ?? [], gpus))
  return { nodes, processes, cpus: Math.max(processes, cores), gpus }
}

/** Whether there are nodes enough that could hold it when nothing else runs. */
export function fits({ nodes, cpus, gpus }: TrainerResources, cluster: Cluster): boolean {
  return cluster.nodes.filter((node) => node.cpus >= cpus && node.gpus >= gpus).length >= nodes
}

/** On the node that has fewest for each of its GPUs. */
function coresOfGpu(nodes: readonly Resources[]): number {
  const shares = nodes.filter(({ gpus }) => gpus > 0).map(({ cpus, gpus }) => Math.floor(cpus / gpus))
  return shares.length > 0 ? Math.max(1, Math.min(...shares)) : 1
}

function mostCores(nodes: readonly Resources[], gpus: number): number {
  return Math.max(1, ...nodes.filter((node) => node.gpus >= gpus).map(({ cpus }) => cpus))
}
