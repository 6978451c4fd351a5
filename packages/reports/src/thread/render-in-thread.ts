import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Rendering, Renderings } from './renderings.js'

const BUILT = new URL('./render.worker.js', import.meta.url)

type Input<Name extends Rendering> = Parameters<Renderings[Name]>[0]
type Output<Name extends Rendering> = Awaited<ReturnType<Renderings[Name]>>

/**
 * Renders in a thread of its own, so that the service responds meanwhile. Run from sources (development, unit tests) there is no
 * compiled thread to start, and rendering takes place in this one.
 */
export function renderInThread<Name extends Rendering>(
  name: Name,
  input: Input<Name>,
  thread: URL = BUILT,
): Promise<Output<Name>> {
  if (!existsSync(thread))
    return import('./renderings.js').then(({ render }) => render(name, input)) as Promise<Output<Name>>
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, {
      workerData: { name, input },
      // The compiled thread needs none of the flags of this process, such as those that run it from sources.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) =>
      reject(new Error(`the report thread exited with code ${code} without a report`)),
    )
  })
}
