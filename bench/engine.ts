import { join, resolve } from 'node:path'
import { cachedRun } from './engine/cached-run.js'
import { misses, reportPeers } from './engine/figures.js'
import { inProcess } from './engine/in-process.js'
import { largeWorkflow } from './engine/large-workflow.js'
import { memoryOfService } from './engine/memory.js'
import { measurePeers } from './engine/peers.js'
import { warmWorker } from './engine/warm-worker.js'

/**
 * Overhead of the workflow engine without the work of nodes. In this process: planning (validate, infer and plan) of 10,000 nodes in three
 * shapes, a fully cached run of 1,000 nodes, and an empty node (also in a warm worker, and compared with other engines on the same graphs).
 * In a running service: the cached run as a client sees it, the latency of other requests while workflows of the largest size are in
 * progress, and its memory while gigabytes pass between nodes. Every measurement has a limit; a missed one exits with 1.
 *
 *   npm run bench:engine
 *   npm run bench:engine -- --no-peers      without installing other engines for the comparison
 *   npm run bench:engine -- --no-memory     without the minutes and the 6 GB of disk that the last part takes
 *   npm run bench:engine -- --no-large      without the workflows of the largest size
 */

const python = process.env.MEDLOOM_PYTHON ?? join(resolve(import.meta.dirname, '..'), '.venv/bin/python')
const without = (part: string) => process.argv.includes(`--no-${part}`)

const inside = await inProcess()
const warm = await warmWorker(python)
if (!without('peers')) reportPeers(inside, warm, await measurePeers(python))
await cachedRun(warm)
if (!without('large')) await largeWorkflow()
if (!without('memory')) await memoryOfService()

if (misses.length > 0) {
  console.error(`missed: ${misses.join('; ')}`)
  process.exit(1)
}
