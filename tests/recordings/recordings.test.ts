import { createHash } from 'node:crypto'
import { CheckpointManifest, RunMetrics, TrainerConfig, TrainerEvent } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { withoutNulls } from '../../packages/server/testing/training/replay/recorded-run.mjs'
import { differences } from './differences.js'
import { KINDS } from './kinds.js'
import {
  RECORDING_VERSION,
  type RecordedRun,
  readRecording,
  recordedNames,
  trainingOf,
  trainingsIn,
} from './recording.js'

const AGAIN = 'run "npm run record" and commit what it writes'
const bytesOf = ({ files }: RecordedRun, name: string): Buffer => {
  const file = files[name]
  if (!file) throw new Error(`${name} is missing; ${AGAIN}`)
  if ('same' in file) return bytesOf({ files } as RecordedRun, file.same)
  return 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64')
}

test('every kind is recorded, and nothing else', () => {
  expect(recordedNames(), AGAIN).toEqual(Object.keys(KINDS).sort())
})

test.each(recordedNames())('the recording %s fits the contract', (name) => {
  const { version, runs } = readRecording(name)
  expect(version).toBe(RECORDING_VERSION)
  expect(runs.length).toBeGreaterThan(0)
  for (const run of runs) {
    expectSameConfig(run)
    for (const event of run.events) TrainerEvent.parse(event)
    expect(['completed', 'error']).toContain(run.events.at(-1)?.type)
  }
})

test.each(trainingsIn())('the training %s of a test fits the contract and is whole', (key) => {
  const [run] = trainingOf(key)
  if (!run) throw new Error(AGAIN)
  expectSameConfig(run)
  for (const event of run.events) TrainerEvent.parse(event)
  expectWhole([run])
})

test.each(recordedNames())('the checkpoints and metrics of %s are whole', (name) =>
  expectWhole(readRecording(name).runs),
)

/** Today's contract neither changes the recorded configuration nor adds to it, except for optional keys, which are null. */
function expectSameConfig({ config }: RecordedRun): void {
  expect(withoutNulls(TrainerConfig.parse(config)), AGAIN).toEqual(withoutNulls(config))
}

function expectWhole(runs: readonly RecordedRun[]): void {
  for (const run of runs)
    for (const path of Object.keys(run.files)) {
      if (path === 'metrics/metrics.json') RunMetrics.parse(JSON.parse(String(bytesOf(run, path))))
      if (!path.endsWith('/checkpoint.json')) continue
      const { files } = CheckpointManifest.parse(JSON.parse(String(bytesOf(run, path))))
      for (const [part, { file, sha256 }] of Object.entries(files)) {
        const content = bytesOf(run, path.replace('checkpoint.json', file))
        // Paths in a text were replaced after its digest was computed.
        if (part !== 'state') expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
      }
    }
}

test('a recording that differs is reported with its differences', () => {
  const { runs, name } = readRecording('classification')
  expect(differences(runs, runs, name)).toEqual([])
  const [run] = runs
  if (!run) throw new Error(AGAIN)
  const changed = {
    ...run,
    events: run.events.map((event) => ({
      ...event,
      ...(event.type === 'validation' ? { metrics: {} } : {}),
    })),
  }
  expect(differences(runs, [changed], name)).toEqual([
    expect.stringMatching(/^training 1: validation 1: /),
    expect.stringMatching(/^training 1: validation 2: /),
  ])
  expect(differences(runs, [], name)).toEqual(['1 trainings are kept, 0 were made'])
})

test('the training of the tests of curves reports different losses', () => {
  const [run] = readRecording('stopped').runs
  const events = (run?.events ?? []).map((event) => TrainerEvent.parse(event))
  const losses = events.flatMap((event) => (event.type === 'progress' ? [event.metrics.loss] : []))
  // The trainer reports at most ten times a second, and is stopped only after its third epoch was seen.
  expect(new Set(losses).size, AGAIN).toBeGreaterThan(1)
})
