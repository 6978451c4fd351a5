import { type Cluster, fits, type Resources, resourcesOf } from '../../ports/resources.js'
import type { RemainingQuotas } from './remaining-quotas.js'
import type { Admission, Waiting } from './waiting.js'

/**
 * Like `admit`, but by amounts: first in first out, only jobs that fit into the free resources of the whole cluster. A waiting job reserves
 * its amounts against later jobs. A job that will never fit into a cluster of this size is admitted without amounts: its launcher reports
 * the problem. While the cluster grows, it waits without amounts. Pure.
 */
export function admitToCluster(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  cluster: Cluster,
  maxJobs: number | null,
  room: RemainingQuotas,
): Admission[] {
  const admitted: Admission[] = []
  const amountsOf = amountsOn(cluster)
  let free = running.map(({ places }) => readAmounts(places)).reduce(less, cluster)
  for (const job of waiting) {
    if (!room.has(job)) continue
    const amounts = amountsOf(job)
    if (amounts === null && cluster.isGrowing) continue
    if (amounts === null) {
      room.take(job)
      admitted.push({ ...job, places: [] })
      continue
    }
    if (maxJobs !== null && running.length + admitted.length >= maxJobs) break
    if (amounts.cpus <= free.cpus && amounts.gpus <= free.gpus) {
      room.take(job)
      admitted.push({ ...job, places: writeAmounts(amounts) })
    }
    free = less(free, amounts)
  }
  return admitted
}

/** Amounts of a job on all of its nodes; null when it will never fit. Many jobs of a queue request the same amounts. */
function amountsOn(cluster: Cluster): (job: Waiting) => Resources | null {
  const known = new Map<string, Resources | null>()
  return (job) => {
    const key = `${job.device} ${job.num_workers}`
    let amounts = known.get(key)
    if (amounts === undefined) {
      const resources = resourcesOf(job, cluster)
      const { nodes, cpus, gpus } = resources
      amounts = fits(resources, cluster) ? { cpus: nodes * cpus, gpus: nodes * gpus } : null
      known.set(key, amounts)
    }
    return amounts
  }
}

/** Amounts of a job in the format of its row. */
function writeAmounts({ cpus, gpus }: Resources): string[] {
  return gpus > 0 ? [`cpus=${cpus}`, `gpus=${gpus}`] : [`cpus=${cpus}`]
}

/** Slots on a machine, from a job of another launcher, do not count for the cluster. */
function readAmounts(places: readonly string[]): Resources {
  const amount = (kind: string) =>
    Number(places.find((place) => place.startsWith(`${kind}=`))?.split('=')[1] ?? 0)
  return { cpus: amount('cpus'), gpus: amount('gpus') }
}

/** Never below zero: a waiting job reserves at most the available amounts. */
function less(free: Resources, taken: Resources): Resources {
  return { cpus: Math.max(0, free.cpus - taken.cpus), gpus: Math.max(0, free.gpus - taken.gpus) }
}
