import type { Workflow } from '@medloom/contracts'
import {
  type Clock,
  type Executors,
  Flights,
  infer,
  MemoryCache,
  plan,
  runWorkflow,
  Tokens,
  type Value,
  validate,
} from '@medloom/workflow'

/**
 * What the workflow engine itself costs, without any work of nodes: planning (validate, infer and plan) of 10,000 nodes in three
 * shapes, a fully cached run of 1,000 nodes, and a node that does nothing. Every figure has a limit; one that is missed ends with 1.
 *
 *   npm run bench:engine
 */

/** Nodes of one kind, so that only the shape differs: each takes images and gives images. */
const PASS = 'ImagePreprocess'
const MERGE = 'MergeDatasets'

/** n0 ─► n1 ─► n2 ─► … */
function chain(size: number): Workflow {
  return workflow(size, (i) => (i === 0 ? [] : [i - 1]))
}

/** Rows of ten; every node takes the one above it and that one's neighbour. */
function lattice(size: number): Workflow {
  return workflow(size, (i) => (i < 10 ? [] : [i - 10, i % 10 === 9 ? i - 19 : i - 9]))
}

/** Diamonds on top of each other, each as wide as it takes: 2^18 paths lead from the top to the bottom of 18 of them. */
function diamonds(size: number, stacked = 18): Workflow {
  const width = Math.floor((size - 1) / stacked) - 1
  return workflow(stacked * (width + 1) + 1, (i) => {
    if (i === 0) return []
    const place = (i - 1) % (width + 1)
    const top = i - 1 - place
    return place < width ? [top] : [i - width, i - 1]
  })
}

function workflow(size: number, feeders: (i: number) => number[]): Workflow {
  const nodes: Workflow['nodes'] = []
  const connections: Workflow['connections'] = []
  for (let i = 0; i < size; i++) {
    const fed = feeders(i)
    const type = fed.length === 0 ? 'LoadDataset' : fed.length === 1 ? PASS : MERGE
    const config = type === 'LoadDataset' ? { dataset_id: 'd' } : {}
    nodes.push({ id: `n${i}`, type, position: { x: 0, y: i }, config })
    fed.forEach((source, port) => {
      connections.push({
        id: `c${connections.length}`,
        source: `n${source}`,
        source_port: { LoadDataset: 'dataset', [PASS]: 'processed_images', [MERGE]: 'merged_dataset' }[
          nodes[source]?.type ?? ''
        ] as string,
        target: `n${i}`,
        target_port: type === PASS ? 'images' : `dataset${port + 1}`,
      })
    })
  }
  const metadata = { name: 'bench', description: '', author: '', tags: [] }
  return { version: '1.0', metadata, nodes, connections, execution_history: [] }
}

const value = (type: Value['type'], digest: string): Value => ({ type, digest, summary: '', content: null })
const executors: Executors = {
  LoadDataset: ({ node }) => ({ dataset: value('dataset', node), metadata: value('config', node) }),
  [PASS]: ({ node }) => ({ processed_images: value('image', node) }),
  [MERGE]: ({ node }) => ({ merged_dataset: value('dataset', node) }),
}
const clock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
const sources = (document: Workflow) => new Map(document.nodes.map(({ id }) => [id, 'content']))
const misses: string[] = []

/** Milliseconds of the quickest of several attempts; on a busy machine the processor time counts, not the wait for a processor. */
async function quickest(attempts: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts; i++) {
    const begin = performance.now()
    const used = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(used)
    best = Math.min(best, performance.now() - begin, (user + system) / 1000)
  }
  return best
}

function report(what: string, milliseconds: number, limit: number): void {
  const held = milliseconds < limit
  if (!held) misses.push(what)
  console.log(
    `${what.padEnd(58)} ${milliseconds.toFixed(3).padStart(9)} ms   limit ${limit} ms   ${held ? 'held' : 'MISSED'}`,
  )
}

function planWhole(document: Workflow): void {
  const validated = validate(document)
  const { issues } = infer(validated)
  const planned = plan(
    validated,
    {},
    { cache: { peek: () => undefined }, sources: sources(document), issues },
  )
  if (!planned.ok) throw new Error(JSON.stringify(planned.issues[0]))
}

for (const [name, shape] of Object.entries({ chain, lattice, 'diamonds, 18 stacked': diamonds })) {
  const [small, large] = [shape(2500), shape(10_000)]
  planWhole(small)
  const quarter = await quickest(7, () => planWhole(small))
  const whole = await quickest(7, () => planWhole(large))
  report(`plan 10,000 nodes: ${name}`, whole, 500)
  const growth = whole / quarter
  console.log(`${''.padEnd(58)} ${growth.toFixed(2).padStart(9)} × the time of 2,500 nodes (linear: 4)`)
  if (growth > 8) misses.push(`linear: ${name}`)
}

const shared = {
  workflow: 'bench',
  executors,
  clock,
  tokens: new Tokens({ cpu: 2, gpu: 1, io: 2 }),
  sourceDigest: () => 'content',
}
const thousand = chain(1000)
const validated = validate(thousand)
const cache = new MemoryCache({ clock })
const run = (into: MemoryCache, onEvent = () => {}) =>
  runWorkflow({ ...shared, validated, cache: into, flights: new Flights(), onEvent })

const fresh = await quickest(7, () => run(new MemoryCache({ clock })))
report('a node that does nothing, in process (1,000 in a chain)', fresh / 1000, 1)

await run(cache)
const cachedPlan = await quickest(7, () => {
  const planned = plan(validated, {}, { cache, sources: sources(thousand) })
  if (!planned.ok || planned.counts.reuse !== 1000) throw new Error('not everything is reused')
})
report('plan 1,000 cached nodes', cachedPlan, 300)
const cachedRun = await quickest(7, async () => {
  const { nodes } = await run(cache)
  if (Object.values(nodes).some(({ status }) => status !== 'cached')) throw new Error('something ran')
})
report('run 1,000 cached nodes', cachedRun, 300)

if (misses.length > 0) {
  console.error(`missed: ${misses.join('; ')}`)
  process.exit(1)
}
