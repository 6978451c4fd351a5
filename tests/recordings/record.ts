import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SystemInfo } from '@medloom/contracts'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { startService, temporaryFolder } from '../testing/service.js'
import { differences } from './differences.js'
import { DATASET_OPTIONS, KINDS, writeTables } from './kinds.js'
import { RECORDING_VERSION, type Recording, readRecording, recordRun, writeRecording } from './recording.js'

/**
 * Records real trainings, each kind once, for the tests that replay them.
 *
 *     npm run record -- [KIND ...]           train and keep
 *     npm run record -- --compare [KIND ...] train, and fail where what is kept differs
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { compare: { type: 'boolean', default: false } },
})
const names = positionals.length > 0 ? positionals : Object.keys(KINDS)
for (const name of names)
  if (!(name in KINDS))
    throw new Error(`there is no kind "${name}"; there are ${Object.keys(KINDS).join(', ')}`)

const root = temporaryFolder('record')
const service = await startService({ roots: [root], prewarm: true, trainer: 'real' })
try {
  const caller = new Caller(service.url)
  for (const name of names) {
    const recording = await make(name, caller)
    if (values.compare) report(name, differences(readRecording(name), recording))
    else writeRecording(recording)
    console.log(`${name}: ${recording.runs.length} trainings`)
  }
} finally {
  await service.stop()
  for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
}

async function make(name: string, caller: Caller): Promise<Recording> {
  const dataset = makeDataset(join(root, name), DATASET_OPTIONS)
  writeTables(dataset)
  const jobs = (await KINDS[name]?.({ caller, dataset })) ?? []
  const runs = []
  for (const { key, jobId } of jobs) {
    const { attempt } = await caller.status(jobId)
    const directory = join(service.dataDir, 'runs', jobId)
    runs.push(recordRun(directory, { key, attempt, datasetFolder: dataset }))
  }
  const { body } = await caller.get<SystemInfo>('/api/system/info')
  const { python_version, pytorch_version } = body
  return {
    version: RECORDING_VERSION,
    name,
    software: { python: python_version ?? '', pytorch: pytorch_version ?? '' },
    dataset: DATASET_OPTIONS,
    runs,
  }
}

function report(name: string, found: readonly string[]): void {
  for (const difference of found) console.error(`${name}: ${difference}`)
  if (found.length > 0) process.exitCode = 1
}
