import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeDataset } from './dataset.js'
import { Caller } from './http.js'
import { startService, temporaryFolder } from './service.js'
import { trainingConfig } from './training.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The service that most tests share. */
    url: string
    dataDir: string
    /** The synthetic data set, inside the service's first root. */
    dataset: string
    /** A job of two epochs with a table and an image; tests await its end. */
    referenceJob: string
  }
}

/** One service, one data set and one finished training for all tests that only look. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = temporaryFolder('root')
  const dataset = makeDataset(join(root, 'synthetic'))
  const service = await startService({ roots: [root] })
  const referenceJob = await new Caller(service.url).start(trainingConfig(dataset), 'reference')
  project.provide('url', service.url)
  project.provide('dataDir', service.dataDir)
  project.provide('dataset', dataset)
  project.provide('referenceJob', referenceJob)
  return async () => {
    await service.stop()
    for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}
