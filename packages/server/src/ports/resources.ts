import { readDevice, type TrainingConfig } from '@medloom/contracts'

/** Amounts that a cluster has or a trainer uses. */
export interface Resources {
  readonly cpus: number
  readonly gpus: number
}

/** Amounts that a trainer uses on each of its nodes. */
export interface TrainerResources extends Resources {
  readonly nodes: number
  /** Processes on each node. */
  readonly processes: number
}

/** Total amounts of a cluster: jobs use amounts wherever they are free, not accelerators by name. */
export interface Cluster extends Resources {
  /** All of its nodes, including a lost one that may return: a job that fits none of them will never fit. */
  readonly nodes: readonly Resources[]
  /** The cluster has just started or grown: a job that fits none of its nodes may fit one that joins later. */
  readonly isGrowing?: boolean
}

type Training = Pick<TrainingConfig['training'], 'device' | 'num_workers'>

/**
 * Amounts for the trainer of a configuration. A process uses a GPU and its share of the cores of the node, or one core; num_workers
 * overrides this, up to the cores of a node. Pure.
 */
export function resourcesOf({ device, num_workers }: Training, cluster?: Cluster): TrainerResources {
  const { kind, nodes, processes } = readDevice(device)
  const gpus = kind === 'cuda' || (kind === 'auto' && (cluster?.gpus ?? 0) > 0) ? processes : 0
  const share = gpus > 0 ? processes * coresOfGpu(cluster?.nodes ?? []) : processes
  const cores = Math.min(num_workers ?? share, mostCores(cluster?.nodes ?? [], gpus))
  return { nodes, processes, cpus: Math.max(processes, cores), gpus }
}

/** Returns true if enough nodes could hold it when nothing else runs. */
export function fits({ nodes, cpus, gpus }: TrainerResources, cluster: Cluster): boolean {
  return cluster.nodes.filter((node) => node.cpus >= cpus && node.gpus >= gpus).length >= nodes
}

/** Cores per GPU on the node with the fewest. */
function coresOfGpu(nodes: readonly Resources[]): number {
  const shares = nodes.filter(({ gpus }) => gpus > 0).map(({ cpus, gpus }) => Math.floor(cpus / gpus))
  return shares.length > 0 ? Math.max(1, Math.min(...shares)) : 1
}

function mostCores(nodes: readonly Resources[], gpus: number): number {
  return Math.max(1, ...nodes.filter((node) => node.gpus >= gpus).map(({ cpus }) => cpus))
}
