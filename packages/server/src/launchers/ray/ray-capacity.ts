import type { Cluster, Resources } from '../resources.js'
import type { RayJobs } from './ray-jobs.js'

/** The scheduler asks with every job that comes or ends. */
const FRESH_MILLISECONDS = 2000

/** What the nodes of a cluster have, asked for at most every two seconds. */
export class RayCapacity {
  #asked: { readonly at: number; readonly cluster: Promise<Cluster> } | undefined
  /** The most nodes that it has had: one that is lost may come back. */
  #most: readonly Resources[] = []

  constructor(
    readonly jobs: Pick<RayJobs, 'nodes'>,
    readonly freshMilliseconds = FRESH_MILLISECONDS,
  ) {}

  /** @throws RayUnreachable */
  cluster(): Promise<Cluster> {
    const now = performance.now()
    if (this.#asked && now - this.#asked.at < this.freshMilliseconds) return this.#asked.cluster
    const cluster = this.#ask()
    this.#asked = { at: now, cluster }
    cluster.catch(() => {
      this.#asked = undefined
    })
    return cluster
  }

  async #ask(): Promise<Cluster> {
    const nodes = (await this.jobs.nodes()).map(({ cpus, gpus }) => ({
      cpus: Math.floor(cpus),
      gpus: Math.floor(gpus),
    }))
    if (nodes.length >= this.#most.length) this.#most = nodes
    return {
      cpus: nodes.reduce((sum, { cpus }) => sum + cpus, 0),
      gpus: nodes.reduce((sum, { gpus }) => sum + gpus, 0),
      nodes: this.#most,
    }
  }
}
