import { join, resolve } from 'node:path'
import { misses, reportPeers } from './engine/figures.js'
import { inProcess } from './engine/in-process.js'
import { memoryOfService } from './engine/memory.js'
import { measurePeers } from './engine/peers.js'
import { warmWorker } from './engine/warm-worker.js'

/**
 * What the workflow engine itself costs, without any work of nodes: planning (validate, infer and plan) of 10,000 nodes in three
 * shapes, a fully cached run of 1,000 nodes, a node that does nothing (in process and through a warm worker, beside other engines
 * on the same graphs), and the memory of the service while gigabytes pass between nodes. Every figure has a limit; one that is
 * missed ends with 1.
 *
 *   npm run bench:engine
 *   npm run bench:engine -- --no-peers      without installing other engines for the comparison
 */

const python = process.env.MEDLOOM_PYTHON ?? join(resolve(import.meta.dirname, '..'), '.venv/bin/python')

const inside = await inProcess()
const warm = await warmWorker(python)
await memoryOfService()
if (!process.argv.includes('--no-peers')) reportPeers(inside, warm, await measurePeers(python))

if (misses.length > 0) {
  console.error(`missed: ${misses.join('; ')}`)
  process.exit(1)
}
