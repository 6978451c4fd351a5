import { availableParallelism, loadavg } from 'node:os'
import type { Workflow } from '@medloom/contracts'
import { report } from './figures.js'
import { oneCase, quantile, runEnded, watchHealth, withService } from './service.js'
import { chain } from './shapes.js'

/** The largest permitted number of nodes, and a quarter of it, with the limits for concurrent responses in milliseconds. */
const SIZES = [
  { nodes: 5000, p99: 50, longest: 100, saving: 150 },
  { nodes: 20_000, p99: 100, longest: 250, saving: 500 },
]
/** A chain of this size takes minutes: it is observed for this time, then canceled. */
const SECONDS = 5

/**
 * Checks that the service responds while a large workflow is saved, started, run, canceled, found in the cache and planned, with a hundred
 * requests a second to /api/system/health. Two shapes: a chain, whose nodes a worker computes one after the other, and independent nodes
 * that the service computes itself, as fast as it can.
 */
export async function largeWorkflow(): Promise<void> {
  for (const size of SIZES)
    for (const shape of ['chain', 'side by side'] as const)
      await withService('large', async ({ root, start }) => {
        const { workflows, url } = await start()
        const health = await watchHealth(url)
        try {
          await new Promise((resume) => setTimeout(resume, 2000))
          const idle = await health.since()
          const document = shape === 'chain' ? chain(size.nodes, oneCase(root)) : sideBySide(size.nodes)
          const id = await workflows.create(document)
          const saved = await health.since()
          const began = performance.now()
          await workflows.execute(id)
          const accepted = performance.now() - began
          if (shape === 'chain') {
            await new Promise((resume) => setTimeout(resume, SECONDS * 1000))
            await workflows.caller.post(`/api/workflow/${id}/cancel`)
          } else {
            await runEnded(workflows, id)
            await workflows.execute(id)
          }
          const { counts } = await runEnded(workflows, id)
          if (shape === 'chain' ? counts.error > 0 : counts.cached < size.nodes)
            throw new Error(JSON.stringify(counts))
          await workflows.plan(id)
          const run = await health.since()
          const name = `${size.nodes.toLocaleString('en')} nodes ${shape === 'chain' ? 'in a chain' : shape}`
          report(`${name}: answers, 99 % of ${run.length}`, quantile(run, 0.99), size.p99)
          report(`${name}: longest answer`, quantile(run, 1), size.longest)
          report(`${name}: longest while it is saved`, quantile(saved, 1), size.saving)
          console.log(
            `${''.padEnd(58)} ${accepted.toFixed(0).padStart(9)} ms until it was accepted; longest answer of the idle ` +
              `service ${quantile(idle, 1).toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
          )
        } finally {
          health.stop()
        }
      })
}

/** Unconnected nodes that only record a setting. */
function sideBySide(size: number): Workflow {
  const nodes = Array.from({ length: size }, (_, i) => ({
    id: `n${i}`,
    type: 'SelectFusion',
    position: { x: 0, y: i },
    config: {},
  }))
  const metadata = { name: 'bench', description: '', author: '', tags: [] }
  return { version: '1.1', metadata, nodes, connections: [], execution_history: [] }
}
