import { cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeDataset } from './dataset.js'
import { Caller } from './http.js'
import { startService, temporaryFolder } from './service.js'
import { trainingConfig } from './training.js'

/** A service shared by the files of one worker; `shared.ts` selects it. */
export interface SharedService {
  readonly url: string
  readonly dataDir: string
  /** The synthetic dataset, inside the service's first root. */
  readonly dataset: string
  /** A job of two epochs with a table and an image; tests await its end. */
  readonly referenceJob: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    services: SharedService[]
  }
}

/** One service, one dataset and one finished training per worker, for all read-only tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workers = Array.from({ length: Number(project.config.maxWorkers) })
  const made = makeDataset(join(temporaryFolder('made'), 'synthetic'))
  const started = await Promise.all(workers.map(() => startShared(made)))
  project.provide(
    'services',
    started.map(({ service }) => service),
  )
  return async () => {
    await Promise.all(started.map(({ stop }) => stop()))
    rmSync(dirname(made), { recursive: true, force: true })
  }
}

async function startShared(made: string): Promise<{ service: SharedService; stop: () => Promise<void> }> {
  const root = temporaryFolder('root')
  const dataset = join(root, 'synthetic')
  cpSync(made, dataset, { recursive: true })
  const { url, dataDir, stop } = await startService({ roots: [root], prewarm: true })
  const referenceJob = await new Caller(url).start(trainingConfig(dataset), 'reference')
  return {
    service: { url, dataDir, dataset, referenceJob },
    stop: async () => {
      await stop()
      for (const folder of [root, dataDir]) rmSync(folder, { recursive: true, force: true })
    },
  }
}
