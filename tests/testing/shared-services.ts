import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TrainerSpec } from '@medloom/contracts'
import type { TestProject } from 'vitest/node'
import { keyOf } from '../../packages/server/testing/training/replay/recorded-run.mjs'
import { recordRun } from '../recordings/recording.js'
import { makeDataset } from './dataset.js'
import { Caller } from './http.js'
import { type ServiceOptions, startService, temporaryFolder } from './service.js'
import { trainingConfig } from './training.js'

/** A service shared by the files of one worker, or by all files; `shared.ts` selects it. */
export interface SharedService {
  readonly url: string
  readonly dataDir: string
  /** The synthetic dataset, inside the service's first root. */
  readonly dataset: string
  /** A job of two epochs with a table and an image; tests await its end. */
  readonly referenceJob: string
  /** Folder of the recording of that training, for a service of a test that replays it too. */
  readonly recordings: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One per worker. They replay recorded trainings. */
    services: SharedService[]
    /** It trains, and serves the files of all workers. */
    trainingService: SharedService
  }
}

/** One service that trains, and one per worker that replays. All of them have the same finished training, which is trained once. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workers = Array.from({ length: Number(project.config.maxWorkers) })
  const folder = temporaryFolder('made')
  const made = makeDataset(join(folder, 'synthetic'))
  const recordings = join(folder, 'recordings')
  const training = await open(made, { trainer: 'real' })
  const replaying = await Promise.all(workers.map(() => open(made, { trainer: 'recorded', recordings })))
  const trainingService = await withReference(training, recordings)
  await storeReference(trainingService, recordings)
  project.provide('trainingService', trainingService)
  project.provide(
    'services',
    await Promise.all(replaying.map((service) => withReference(service, recordings))),
  )
  return async () => {
    await Promise.all([training, ...replaying].map(({ close }) => close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

interface OpenService extends Omit<SharedService, 'referenceJob' | 'recordings'> {
  close(): Promise<void>
}

async function open(made: string, options: Omit<ServiceOptions, 'roots'>): Promise<OpenService> {
  const root = temporaryFolder('root')
  const dataset = join(root, 'synthetic')
  cpSync(made, dataset, { recursive: true })
  const { url, dataDir, stop } = await startService({ roots: [root], prewarm: true, ...options })
  return {
    ...{ url, dataDir, dataset },
    close: async () => {
      await stop()
      for (const folder of [root, dataDir]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function withReference(
  { url, dataDir, dataset }: OpenService,
  recordings: string,
): Promise<SharedService> {
  const referenceJob = await new Caller(url).start(trainingConfig(dataset), 'reference')
  return { url, dataDir, dataset, referenceJob, recordings }
}

/** Stores the training for the services that replay, uncompressed: the weights of an image network are large. */
async function storeReference({ url, dataset, referenceJob }: SharedService, folder: string): Promise<void> {
  const { run_dir, attempt } = await new Caller(url).ended(referenceJob)
  const key = keyOf(JSON.parse(readFileSync(join(run_dir, 'spec.json'), 'utf8')) as TrainerSpec)
  const run = recordRun(run_dir, { key, attempt, datasetFolder: dataset })
  mkdirSync(folder)
  writeFileSync(join(folder, `${key}.json`), JSON.stringify(run))
}
