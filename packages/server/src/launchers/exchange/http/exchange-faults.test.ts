/** @module-tag service */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { TrainingConfig } from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { FaultyNetwork } from '../../../../testing/faulty-network.js'
import { processesWith } from '../../../../testing/processes.js'
import { testPython } from '../../../../testing/python.js'
import { startTestService } from '../../../../testing/service.js'
import { exchangeOf } from '../../../../testing/training/exchange-of.js'
import { childEnvironment } from '../../../child-environment.js'
import { trainerCommand } from '../../trainer-command.js'

const python = testPython()
const ROWS = 200_000

describe.skipIf(python === undefined)('the process of an attempt on a node', () => {
  let service: Awaited<ReturnType<typeof startTestService>>
  let network: FaultyNetwork
  let node: string
  const children: ChildProcess[] = []
  let table: string
  beforeAll(async () => {
    service = await startTestService({ exchange: 'http' })
    table = join(service.root, 'train.csv')
    // Large enough to be sent in pieces.
    const rows = Array.from({ length: ROWS }, (_, row) => `${row % 2},${row}.${row % 7}\n`)
    writeFileSync(table, `label,${'first_column'.padEnd(2000, '_')}\n${rows.join('')}`)
    writeFileSync(join(service.root, 'small.csv'), `label,age\n${'0,1\n1,2\n1,1\n'.repeat(20)}`)
  })
  afterAll(async () => {
    await service.close()
    rmSync(dirname(service.root), { recursive: true, force: true })
  })
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) await ended(child, 'SIGKILL')
      endGroup(child)
    }
    await network.close()
    rmSync(node, { recursive: true, force: true })
  })

  const onNode = async () => {
    network = await FaultyNetwork.open(service.address)
    node = mkdtempSync(join(tmpdir(), 'medloom-node-'))
  }
  const attemptOf = async (jobId: string, attempt = 1, csv = table) => {
    const { exchange, files } = exchangeOf(service, jobId, network.address)
    const config = TrainingConfig.parse({
      data: { train_csv: csv },
      model: { vision_backbone: 'none', fusion_type: 'concatenate', members: 1 },
      training: { epochs: 100_000, batch_size: 8, device: 'cpu' },
      baselines: [],
    })
    const source = await exchange.putSpec({ job_name: 'a', attempt, config, resumed_from: null })
    const start = () => {
      const resources = { nodes: 1, processes: 1, cpus: 1, gpus: 0 }
      const command = trainerCommand(python ?? '', { job_id: jobId, attempt, resources, ...source })
      const [program, ...args] = command.argv
      const child = spawn(program, args, {
        env: { ...childEnvironment(), ...command.environment, MEDLOOM_NODE_CACHE: node },
        stdio: ['ignore', 'ignore', 'pipe'],
        // A process group, so that the process that it starts can be ended after it is gone.
        detached: true,
      })
      children.push(child)
      return child
    }
    return { start, files, view: join(node, 'attempts', `${jobId}.${attempt}`, 'roots/root', 'train.csv') }
  }

  it('fetches a complete file although connections break', async () => {
    await onNode()
    network.cutAfter = { sent: Number.POSITIVE_INFINITY, received: 200_000 }
    const { start, view } = await attemptOf(randomUUID())
    start()
    await expect.poll(() => existsSync(view)).toBe(true)
    expect(digestOf(view)).toBe(digestOf(table))
    expect(network.cuts).toBeGreaterThan(4)
  })

  it('fetches damaged data again, even before a broken connection', async () => {
    await onNode()
    network.cutAfter = { sent: Number.POSITIVE_INFINITY, received: 600_000 }
    network.damage = { from: 'first_column', to: 'FIRST_COLUMN' }
    const { start, view } = await attemptOf(randomUUID())
    start()
    await expect.poll(() => existsSync(view)).toBe(true)
    expect([network.damage, digestOf(view)]).toEqual([null, digestOf(table)])
    expect(
      readdirSync(join(node, 'contents')).flatMap((name) => readdirSync(join(node, 'contents', name))),
    ).toEqual([digestOf(table)])
  })

  it('does not fetch a file that another process is fetching', async () => {
    await onNode()
    const both = [await attemptOf(randomUUID()), await attemptOf(randomUUID())]
    for (const { start } of both) start()
    for (const { view } of both) {
      await expect.poll(() => existsSync(view)).toBe(true)
      expect(digestOf(view)).toBe(digestOf(table))
    }
    expect(network.received).toBeLessThan(1.5 * readFileSync(table).length)
  })

  it('ends with its trainer once a later attempt has begun, and leaves nothing on the node', async () => {
    await onNode()
    const jobId = randomUUID()
    const first = await attemptOf(jobId, 1, join(service.root, 'small.csv'))
    const child = first.start()
    await expect
      .poll(() => existsSync(first.files.events(1)) && readFileSync(first.files.events(1), 'utf8'))
      .toContain('epoch_end')
    const second = await attemptOf(jobId, 2, join(service.root, 'small.csv'))
    const stored = () =>
      [first.files.events(1), first.files.log].map((path) => readFileSync(path, 'utf8').length)
    const exit = once(child, 'exit')
    // Data in transfer when the later attempt began may still be written.
    let before = stored()
    const isKept = () => {
      const was = before
      before = stored()
      return isDeepStrictEqual(was, before)
    }
    await expect.poll(isKept, { interval: 300 }).toBe(true)
    const [code] = await exit
    expect(code).toBe(3)
    expect(processesWith(jobId)).toEqual([])
    expect(readdirSync(join(node, 'attempts')).filter((name) => !name.endsWith('.lock'))).toEqual([])
    expect([stored(), existsSync(second.files.result)]).toEqual([before, false])
  })
})

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no processes any more.
  }
}
