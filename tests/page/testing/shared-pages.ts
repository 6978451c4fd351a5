import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { CHROMIUM_MISSING, findChromium } from '../../../scripts/setup/chromium.mjs'
import { startService, temporaryFolder } from '../../testing/service.js'

/** Shared by the tests of a worker: a service that serves the built page, and the program of the browser. */
export interface SharedPage {
  /** Address of the service. */
  readonly url: string
  /** Its only root; each test creates its own folder there. */
  readonly root: string
  /** Executable of Chromium. */
  readonly executablePath: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One per worker, so that no test sees the trainings of another; null: there is no browser, and the tests are skipped. */
    pages: SharedPage[] | null
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium()
  if (executablePath === null) {
    console.warn(CHROMIUM_MISSING)
    project.provide('pages', null)
    return async () => {}
  }
  const workers = { length: Number(project.config.maxWorkers) }
  const roots = Array.from(workers, () => temporaryFolder('page'))
  const services = await Promise.all(
    roots.map((root) => startService({ roots: [root], prewarm: true, trainer: 'recorded' })),
  )
  project.provide(
    'pages',
    services.map(({ url }, worker) => ({ url, root: roots[worker] ?? '', executablePath })),
  )
  return async () => {
    await Promise.all(services.map((service) => service.stop()))
    for (const folder of [...roots, ...services.map(({ dataDir }) => dataDir)])
      rmSync(folder, { recursive: true, force: true })
  }
}
