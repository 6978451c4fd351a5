import { type Cluster, fits, type Resources, resourcesOf } from '../../launchers/resources.js'
import type { QuotaRoom } from './quota-room.js'
import type { Admission, Waiting } from './waiting.js'

/**
 * As `admit`, by amounts: first in first out, only what fits into what is free on the whole cluster. A job that waits keeps its amounts
 * from those behind it. One that no cluster of this size will ever hold is let through without any: its launcher says what is wrong. While
 * the cluster grows, it waits without any. Pure.
 */
export function admitToCluster(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  cluster: Cluster,
  maxJobs: number | null,
  room: QuotaRoom,
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

/** What a job takes on all of its nodes; null when it will never fit. Many jobs of a queue ask for the same. */
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

/** What a job occupies, as its row says it. */
function writeAmounts({ cpus, gpus }: Resources): string[] {
  return gpus > 0 ? [`cpus=${cpus}`, `gpus=${gpus}`] : [`cpus=${cpus}`]
}

/** Places on a machine, of a job of another launcher, are none of the cluster. */
function readAmounts(places: readonly string[]): Resources {
  const amount = (kind: string) =>
    Number(places.find((place) => place.startsWith(`${kind}=`))?.split('=')[1] ?? 0)
  return { cpus: amount('cpus'), gpus: amount('gpus') }
}

/** Never below nothing: a job that waits keeps what there is, not more. */
function less(free: Resources, taken: Resources): Resources {
  return { cpus: Math.max(0, free.cpus - taken.cpus), gpus: Math.max(0, free.gpus - taken.gpus) }
}
