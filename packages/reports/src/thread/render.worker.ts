import { parentPort, workerData } from 'node:worker_threads'
import { draw, type Rendering } from './renderings.js'

/** The thread in which a report is drawn: one report, then it ends. */
const { name, input } = workerData as { name: Rendering; input: unknown }
parentPort?.postMessage(await draw(name, input))
