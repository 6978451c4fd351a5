import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SystemInfo } from '@medloom/contracts'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { differences } from './differences.js'
import { DATASET_OPTIONS, KINDS, writeTables } from './kinds.js'
import {
  RECORDING_VERSION,
  type Recording,
  readRecording,
  recordRun,
  TRAININGS,
  trainingOf,
  trainingsIn,
  writeRecording,
} from './recording.js'

/**
 * Records real trainings for the tests that replay them: each kind once, and those that the tests start.
 *
 *     npm run record -- [KIND ...] [tests]           train and store
 *     npm run record -- FILE ...                     add the trainings of these test files that are not stored yet
 *     npm run record -- --compare [KIND ...] [tests] train, and fail if the stored recording differs
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { compare: { type: 'boolean', default: false } },
})
const TESTS = 'tests'
const known = [...Object.keys(KINDS), TESTS]
const files = positionals.filter((name) => name.endsWith('.test.ts'))
const others = positionals.filter((name) => !files.includes(name))
const names = positionals.length > 0 ? others : known
for (const name of names)
  if (!known.includes(name)) throw new Error(`there is no kind "${name}"; there are ${known.join(', ')}`)

const root = temporaryFolder('record')
const kinds = names.filter((name) => name !== TESTS)
if (kinds.length > 0) await recordKinds(kinds)
if (names.includes(TESTS)) replaceTrainings()
if (files.length > 0) addTrainings()

async function recordKinds(kinds: readonly string[]): Promise<void> {
  const service = await startService({ roots: [root], prewarm: true, trainer: 'real' })
  try {
    const caller = new Caller(service.url)
    for (const name of kinds) {
      const recording = await make(name, caller, service.dataDir)
      if (values.compare) report(name, differences(readRecording(name).runs, recording.runs, name))
      else writeRecording(recording)
      console.log(`${name}: ${recording.runs.length} trainings`)
    }
  } finally {
    await service.stop()
    for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs tests whose services replay trainings, with real trainings. @returns the folder of the recordings */
function recordTests(...selection: readonly string[]): string {
  const made = temporaryFolder('recorded')
  const projects = ['page', 'service'].flatMap((name) => ['--project', name])
  const { status } = spawnSync(
    process.execPath,
    [join(REPOSITORY, 'node_modules/vitest/vitest.mjs'), 'run', ...projects, ...selection],
    {
      cwd: REPOSITORY,
      stdio: 'inherit',
      env: { ...process.env, MEDLOOM_RECORD_INTO: made, MEDLOOM_TEST_PATIENCE: '4' },
    },
  )
  if (status !== 0) throw new Error('the tests failed, so nothing was kept')
  return made
}

function addTrainings(): void {
  const made = recordTests('--tags-filter=!full', ...files)
  const keys = trainingsIn(made).filter((key) => !trainingsIn().includes(key))
  for (const key of keys) cpSync(join(made, `${key}.json.gz`), join(TRAININGS, `${key}.json.gz`))
  console.log(`added: ${keys.length} trainings`)
  rmSync(made, { recursive: true, force: true })
}

function replaceTrainings(): void {
  const made = recordTests()
  const keys = trainingsIn(made)
  if (values.compare)
    for (const key of new Set([...keys, ...trainingsIn()]))
      report(key, differences(trainingOf(key), trainingOf(key, made), TESTS))
  else {
    rmSync(TRAININGS, { recursive: true, force: true })
    cpSync(made, TRAININGS, { recursive: true })
  }
  console.log(`${TESTS}: ${keys.length} trainings`)
  rmSync(made, { recursive: true, force: true })
}

async function make(name: string, caller: Caller, dataDir: string): Promise<Recording> {
  const dataset = makeDataset(join(root, name), DATASET_OPTIONS)
  writeTables(dataset)
  const jobs = (await KINDS[name]?.({ caller, dataset })) ?? []
  const runs = []
  for (const { key, jobId } of jobs) {
    const { attempt } = await caller.status(jobId)
    const directory = join(dataDir, 'runs', jobId)
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
