// @module-tag service
// @module-tag full

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Job } from '@medloom/contracts'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FaultyNetwork } from '../../packages/server/testing/faulty-network.js'
import { processesWith } from '../../packages/server/testing/processes.js'
import { fill } from '../soak/disk/fill.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { training } from '../testing/shared.js'
import { canMount, SmallDisk } from '../testing/small-disk.js'
import { trainingConfig } from '../testing/training.js'

const EPOCHS = 4

const { dataset } = training
let undisturbed: Outcome
let dataDir: string
let node: string
let network: FaultyNetwork
let service: RunningService | undefined
beforeAll(async () => {
  // A service that reads the files of its runs itself.
  const caller = new Caller(training.url)
  undisturbed = await outcomeOf(await started(EPOCHS, caller), caller)
})
beforeEach(async () => {
  dataDir = temporaryFolder('exchange-data')
  node = temporaryFolder('exchange-node')
  network = await FaultyNetwork.open()
})
afterEach(async () => {
  await service?.stop()
  await network.close()
  for (const folder of [dataDir, node]) rmSync(folder, { recursive: true, force: true })
})

test('connections that break in the middle cost nothing of a training', async () => {
  network.cutAfter = { sent: 700_000, received: 12_000 }
  await serve()
  expect(await outcomeOf(await started())).toEqual(undisturbed)
  expect(network.cuts).toBeGreaterThan(30)
})

test('while the service is down the training continues, and the next service receives everything once', async () => {
  await serve()
  const jobId = await started()
  await caller().until(jobId, ({ epoch }) => epoch >= 1)
  await service?.kill()
  await serve()
  expect(await outcomeOf(jobId)).toEqual(undisturbed)
})

test('while the network is down the training continues to its end, and nothing is lost or duplicated', async () => {
  await serve()
  const jobId = await started()
  await caller().until(jobId, ({ epoch }) => epoch >= 1)
  network.goAway()
  await expect.poll(() => existsSync(join(onNode(jobId), 'result.json'))).toBe(true)
  const { status, attempt } = await caller().status(jobId)
  expect({ status, attempt }).toEqual({ status: 'running', attempt: 1 })
  network.comeBack()
  expect(await outcomeOf(jobId)).toEqual(undisturbed)
})

test('a training whose process dies before all of it has arrived is not a success', async () => {
  await serve()
  const jobId = await started()
  await caller().until(jobId, ({ epoch }) => epoch >= 1)
  network.holds = /PUT \S+\/streams\/events/
  await expect.poll(() => existsSync(join(onNode(jobId), 'result.json'))).toBe(true)
  // All files except the result have arrived, although the node had time to send it as well.
  await expect.poll(() => missingOf(jobId)).toEqual(['result.json'])
  const beats = network.seen('heartbeat')
  await expect.poll(() => network.seen('heartbeat')).toBeGreaterThan(beats + 3)
  expect(missingOf(jobId)).toEqual(['result.json'])
  killMirror(jobId)
  const job = await caller().ended(jobId)
  expect(job).toMatchObject({ status: 'failed', error: { code: 'WORKER_LOST' }, resumable: true })
  expect(processesWith(jobId)).toEqual([])
})

test('a training does not outlive the process that sends what it writes', async () => {
  await serve()
  const jobId = await started(5000)
  await caller().until(jobId, ({ epoch }) => epoch >= 1)
  const [mirror] = processesWith('medloom_trainer\0remote')
  const trainers = processesWith(jobId)
  expect(trainers.map(({ parent }) => parent)).toEqual([mirror?.pid])
  // No other process can end it.
  await service?.kill()
  process.kill(mirror?.pid ?? 0, 'SIGKILL')
  await expect.poll(() => processesWith(jobId)).toEqual([])
})

test('data that the node may not keep end a training with what to do', async () => {
  await serve('--node-cache', '10000')
  const { status, error } = await caller().ended(await started())
  expect({ status, error }).toMatchObject({
    status: 'failed',
    error: { code: 'DISK_FULL', message: expect.stringContaining('10,000 of --node-cache') },
  })
})

describe.skipIf(!canMount)('a disk of the node that is full (needs the right to mount a tmpfs)', () => {
  let disk: SmallDisk
  afterEach(() => disk.remove())

  test('before a training begins ends it with what to do, and the next one begins when there is room', async () => {
    disk = new SmallDisk(node, 64)
    const filler = fill(join(node, 'filler'))
    await serve()
    const full = await caller().ended(await started())
    expect(full).toMatchObject({ status: 'failed', error: { code: 'DISK_FULL' } })
    rmSync(filler)
    expect(await outcomeOf(await started())).toEqual(undisturbed)
  })
})

describe.skipIf(!canMount)('a disk of the service that is full (needs the right to mount a tmpfs)', () => {
  let disk: SmallDisk
  afterEach(() => disk.remove())

  test('keeps a training running, which is stored once there is room', async () => {
    disk = new SmallDisk(join(dataDir, 'runs'), 1.5)
    await serve()
    const jobId = await started()
    await expect.poll(() => network.seen('DISK_FULL')).toBeGreaterThan(0)
    await expect.poll(() => existsSync(join(onNode(jobId), 'result.json'))).toBe(true)
    const { status, attempt, error } = await caller().status(jobId)
    expect({ status, attempt, error }).toEqual({ status: 'running', attempt: 1, error: null })
    disk.resize(64)
    expect(await outcomeOf(jobId)).toEqual(undisturbed)
    await service?.stop()
  })
})

function caller(): Caller {
  return new Caller(service?.url ?? '')
}

/** The nodes reach the service through the network. */
async function serve(...flags: string[]): Promise<void> {
  service = await startService({
    roots: [dirname(dataset)],
    dataDir,
    env: { MEDLOOM_NODE_CACHE: node },
    arguments: ['--exchange', 'http', '--exchange-url', network.address, '--log-level', 'warn', ...flags],
  })
  network.target = service.url
}

function started(epochs = EPOCHS, target = caller()): Promise<string> {
  return target.start(trainingConfig(dataset, { training: { epochs } }))
}

/** Lines of the log that a slow machine writes more of. */
const PREPARING = /^preparing +(?!100%)\d+% .*\n/gm

type Outcome = Awaited<ReturnType<typeof outcomeOf>>

/** Output of a training: its best weights, metrics and messages; the last messages contain no times. */
async function outcomeOf(jobId: string, target = caller()) {
  const job = await target.ended(jobId)
  const { messages } = await target.listen(jobId, '?since=0')
  const { status, attempt, metrics, error } = job
  return {
    ...{ status, attempt, metrics, error, weights: weightsOf(job) },
    inOrder: messages.every(({ seq }, index) => seq === index + 1),
    epochs: messages.filter(({ type }) => type === 'epoch_end').map(({ epoch }) => epoch),
    ends: messages.filter(({ type }) => type === 'completed').length,
    log: readFileSync(join(job.run_dir, 'logs/training.log'), 'utf8').replaceAll(PREPARING, ''),
  }
}

/** Digest of the best model. */
function weightsOf({ run_dir }: Job): string {
  return JSON.parse(readFileSync(join(run_dir, 'checkpoints/best/checkpoint.json'), 'utf8')).files.model
    .sha256
}

/** Run directory of an attempt on its node. */
function onNode(jobId: string): string {
  return join(node, 'attempts', `${jobId}.1`, 'run')
}

/** Results, checkpoints and other files of the node that the service lacks. */
function missingOf(jobId: string): string[] {
  const there = onNode(jobId)
  return ['result.json', 'checkpoints', 'metrics', 'known_cases.json']
    .flatMap((name) => filesIn(join(there, name)))
    .map((path) => relative(there, path))
    .filter((path) => !existsSync(join(dataDir, 'runs', jobId, path)))
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** The sending process, whose trainer has ended. */
function killMirror(jobId: string): void {
  const found = processesWith('medloom_trainer').filter(({ pid }) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`MEDLOOM_JOB_ID=${jobId}`),
  )
  expect(found).toHaveLength(1)
  process.kill(found[0]?.pid ?? 0, 'SIGKILL')
}
