import type { Cluster, Resources } from '../../ports/resources.js'
import { RayUnreachable } from './ray-http.js'
import type { RayJobs, RayNode } from './ray-jobs.js'

/** The scheduler queries the capacity whenever a job arrives or ends. */
const FRESH_MILLISECONDS = 2000
/** After the start of a cluster, its nodes join the head one after the other. */
const GROWTH_MILLISECONDS = 30_000

/** Resources of the nodes of a cluster, queried at most every two seconds. */
export class RayCapacity {
  #latest: { readonly queriedAt: number; readonly cluster: Promise<Cluster> } | undefined
  /** By id. A lost node may return: it is kept until another one joins in its place. */
  readonly #nodes = new Map<string, Resources>()
  #joinedAt = 0

  constructor(
    readonly jobs: Pick<RayJobs, 'nodes'>,
    readonly freshMilliseconds = FRESH_MILLISECONDS,
    readonly growthMilliseconds = GROWTH_MILLISECONDS,
  ) {}

  /** @throws RayUnreachable, also while no node has joined the cluster. */
  cluster(): Promise<Cluster> {
    const now = performance.now()
    if (this.#latest && now - this.#latest.queriedAt < this.freshMilliseconds) return this.#latest.cluster
    const cluster = this.#query()
    this.#latest = { queriedAt: now, cluster }
    cluster.catch(() => {
      this.#latest = undefined
    })
    return cluster
  }

  async #query(): Promise<Cluster> {
    const living = (await this.jobs.nodes()).map((node) => ({
      ...node,
      cpus: Math.floor(node.cpus),
      gpus: Math.floor(node.gpus),
    }))
    for (const node of living) if (!this.#nodes.has(node.id)) this.#join(node, living)
    if (this.#nodes.size === 0) throw new RayUnreachable('no node has joined the cluster yet')
    return {
      cpus: living.reduce((sum, { cpus }) => sum + cpus, 0),
      gpus: living.reduce((sum, { gpus }) => sum + gpus, 0),
      nodes: [...this.#nodes.values()],
      isGrowing: this.#isGrowing(Math.max(...living.map(({ startedAt }) => startedAt))),
    }
  }

  #join({ id, cpus, gpus }: RayNode, living: readonly RayNode[]): void {
    const lost = [...this.#nodes].filter(([known]) => !living.some((node) => node.id === known))
    const [replaced] = lost.find(([, node]) => node.cpus === cpus && node.gpus === gpus) ?? lost[0] ?? []
    if (replaced !== undefined) this.#nodes.delete(replaced)
    this.#nodes.set(id, { cpus, gpus })
    this.#joinedAt = performance.now()
  }

  /** Uses two clocks: a service that starts later has not seen when nodes joined, and the clock of a node may be wrong. */
  #isGrowing(newestStartedAt: number): boolean {
    return (
      performance.now() - this.#joinedAt < this.growthMilliseconds &&
      Date.now() - newestStartedAt < this.growthMilliseconds
    )
  }
}
