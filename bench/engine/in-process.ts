import type { Workflow } from '@medloom/contracts'
import {
  type Executors,
  infer,
  MemoryCache,
  plan,
  ResourceSemaphore,
  runWorkflow,
  SingleFlight,
  type Value,
  validate,
} from '@medloom/workflow'
import { clock } from './clock.js'
import { misses, quickest, report } from './figures.js'
import { chain, MERGE, PASS, SHAPES } from './shapes.js'
import { software } from './software.js'

const value = (type: Value['type'], digest: string): Value => ({ type, digest, summary: '', content: null })
const executors: Executors = {
  LoadDataset: ({ node }) => ({ dataset: value('dataset', node), metadata: value('config', node) }),
  [PASS]: ({ node }) => ({ processed_images: value('image', node) }),
  [MERGE]: ({ node }) => ({ merged_dataset: value('dataset', node) }),
}
const EMPTY = { peekMany: async () => new Map<string, never>() }
const sources = (document: Workflow) => new Map(document.nodes.map(({ id }) => [id, 'content']))
async function planWhole(document: Workflow): Promise<void> {
  const validated = validate(document)
  const { issues } = infer(validated)
  const planned = await plan(validated, {}, { cache: EMPTY, software, sources: sources(document), issues })
  if (!planned.ok) throw new Error(JSON.stringify(planned.issues[0]))
}

/** Planning, empty nodes, and cached runs, without any worker. Returns milliseconds per empty node. */
export async function inProcess(): Promise<number> {
  for (const [name, shape] of Object.entries(SHAPES)) {
    const [small, large] = [shape(2500), shape(10_000)]
    await planWhole(small)
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
    resources: new ResourceSemaphore({ cpu: 2, gpu: 1, io: 2 }),
    sourceDigest: () => 'content',
    software: async () => software,
  }
  const thousand = chain(1000)
  const validated = validate(thousand)
  const cache = new MemoryCache({ clock })
  const run = (into: MemoryCache, onEvent = () => {}) =>
    runWorkflow({ ...shared, validated, cache: into, singleFlight: new SingleFlight(), onEvent })

  const fresh = await quickest(7, async () => {
    const { status } = await run(new MemoryCache({ clock }))
    if (status !== 'success') throw new Error(`the run ended as ${status}`)
  })
  report('a node that does nothing, in process (1,000 in a chain)', fresh / 1000, 1)

  await run(cache)
  const cachedPlan = await quickest(7, async () => {
    const planned = await plan(validated, {}, { cache, software, sources: sources(thousand) })
    if (!planned.ok || planned.counts.reuse !== 1000) throw new Error('not everything is reused')
  })
  report('plan 1,000 cached nodes', cachedPlan, 300)
  const cachedRun = await quickest(7, async () => {
    const { nodes } = await run(cache)
    if (Object.values(nodes).some(({ status }) => status !== 'cached')) throw new Error('something ran')
  })
  report('run 1,000 cached nodes', cachedRun, 300)
  return fresh / 1000
}
