import { parentPort, workerData } from 'node:worker_threads'
import { type Rendering, render } from './renderings.js'

/** Renders one report, then ends. */
const { name, input } = workerData as { name: Rendering; input: unknown }
parentPort?.postMessage(await render(name, input))
