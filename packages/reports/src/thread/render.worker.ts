import { parentPort } from 'node:worker_threads'
import { type Rendering, render } from './renderings.js'

/** Renders one report after the other. An error ends the thread and is passed to the caller. */
parentPort?.on('message', async ({ name, input }: { name: Rendering; input: unknown }) => {
  parentPort?.postMessage(await render(name, input))
})
