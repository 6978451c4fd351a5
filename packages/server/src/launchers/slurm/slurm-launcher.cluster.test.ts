/** @module-tag full */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasSlurm, type SlurmCluster, startSlurmCluster } from '../../../testing/slurm-cluster.js'
import { describeLauncher, ONE_PROCESS } from '../../../testing/training/launcher-contract.js'
import { ordersIn } from '../../../testing/training/orders.js'
import { SLURM_DEFAULTS } from '../../ports/slurm-settings.js'
import { RunDirectory } from '../../storage/run-directory.js'
import { SlurmCommands } from './slurm-commands.js'
import { SlurmLauncher } from './slurm-launcher.js'

const log = { warn: () => undefined }
const python = join(import.meta.dirname, '../../../testing/training/trainer.mjs')

describe.skipIf(!hasSlurm())('a Slurm cluster without accounting', () => {
  let cluster: SlurmCluster | undefined
  beforeAll(async () => {
    cluster = await startSlurmCluster({ nodes: [2, 2], gpus: 2 })
  })
  afterAll(() => cluster?.close())

  describeLauncher('SlurmLauncher', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
    const { run, ...orders } = ordersIn(folder)
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const launcher = new SlurmLauncher({ settings, python, maxJobs: null, run, log, env: cluster?.env ?? {} })
    return {
      launcher,
      ...orders,
      async close() {
        launcher.close()
        await cluster?.cancelAll()
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
      },
    }
  })

  it('counts the resources of a partition, and requests those of a trainer', async () => {
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
    const run = (jobId: string) => new RunDirectory(join(folder, jobId))
    const launcher = new SlurmLauncher({ settings, python, maxJobs: null, run, log, env: cluster?.env ?? {} })
    const { cluster: found } = await launcher.capacity()
    expect(found).toMatchObject({
      cpus: 4,
      gpus: 4,
      nodes: [
        { cpus: 2, gpus: 2 },
        { cpus: 2, gpus: 2 },
      ],
    })
    mkdirSync(join(run('a').path, 'logs'), { recursive: true })
    const resources = { nodes: 1, processes: 2, cpus: 2, gpus: 2 }
    const order = { job_id: 'a', attempt: 1, spec: run('a').spec, resources }
    const trainer = await launcher.submit(order, async () => true)
    const readJob = async () =>
      cluster?.run(
        'squeue',
        '-h',
        '--states=all',
        '--name=medloom-a-1',
        '-O',
        'cpus-per-task,tres-per-node:80',
      )
    await expect.poll(readJob).toMatch(/^2 .*gpu:2/)
    trainer?.release()
    const tooMany = { ...order, attempt: 2, resources: { ...resources, gpus: 3 } }
    await expect(launcher.submit(tooMany, async () => true)).rejects.toMatchObject({ code: 'SLURM_REFUSED' })
    await cluster?.cancelAll()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })

  it('uses the paths of the nodes, but writes its script on the service', async () => {
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
    const here = (jobId: string) => new RunDirectory(join(folder, 'service', jobId))
    const nodes = ordersIn(join(folder, 'nodes'))
    const launcher = new SlurmLauncher({
      settings,
      python,
      maxJobs: null,
      run: here,
      log,
      env: cluster?.env ?? {},
    })
    const order = await nodes.order()
    const service = here(order.job_id)
    mkdirSync(service.path, { recursive: true })
    const trainer = await launcher.submit(order, async () => true)
    await expect.poll(() => nodes.beginnings(order)).toBe(1)
    await nodes.finish(order)
    await trainer?.gone
    const there = nodes.run(order.job_id)
    expect(readlinkSync(there.batchClaim(1))).toMatch(/^\d+$/)
    expect(existsSync(there.batchLog(1))).toBe(true)
    expect(readdirSync(service.path)).toEqual([basename(service.batchScript(1))])
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })

  it('reports the exit status of an ended job', async () => {
    const commands = new SlurmCommands(cluster?.env)
    const folder = mkdtempSync(join(tmpdir(), 'medloom-script-'))
    const script = join(folder, 'ends.sh')
    for (const [ends, status] of [
      ['exit 75', 75],
      ['kill -9 $$', 0],
    ]) {
      writeFileSync(script, `#!/bin/sh\n${ends}\n`)
      const id = await commands.submit(script, ['--output=/dev/null'])
      const job = async () => (await commands.jobs()).find((one) => one.id === id)
      await expect.poll(job).toMatchObject({ state: 'FAILED', exit: status })
    }
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(!hasSlurm({ accounting: true }))('a Slurm cluster that enforces limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
  let cluster: SlurmCluster
  beforeAll(async () => {
    cluster = await startSlurmCluster({ nodes: [2], accounting: true })
    const { username } = userInfo()
    const account = (...args: string[]) => cluster.run('sacctmgr', '-i', ...args)
    await account('add', 'account', 'lab')
    await account('add', 'user', username, 'account=lab', 'defaultaccount=lab')
    await account('add', 'qos', 'few', 'MaxSubmitJobsPerUser=1')
    await account('add', 'qos', 'small', 'MaxTRESPerJob=cpu=1', 'Flags=DenyOnLimit')
    await account('add', 'qos', 'brief', 'MaxWall=1', 'Flags=DenyOnLimit')
    await account('modify', 'user', username, 'set', 'qos+=few,small,brief')
    appendFileSync(cluster.env.SLURM_CONF ?? '', 'AccountingStorageEnforce=associations,limits,qos\n')
    await cluster.stopController()
    await cluster.startController()
  })
  afterAll(async () => {
    await cluster?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })

  const submit = async (qos: string, resources = ONE_PROCESS) => {
    const { run, order } = ordersIn(folder)
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2, qos, time: '10' }
    const launcher = new SlurmLauncher({ settings, python, maxJobs: null, run, log, env: cluster.env })
    const trainer = await launcher.submit({ ...(await order()), resources }, async () => true)
    if (!trainer) throw new Error('the order was not taken')
    await trainer.begun
    return trainer
  }

  it('waits while the maximum number of jobs is reached, and then accepts the next', async () => {
    const first = await submit('few')
    await expect(submit('few')).rejects.toMatchObject({
      code: 'CLUSTER_UNREACHABLE',
      message: expect.stringContaining('QOSMaxSubmitJobPerUserLimit'),
    })
    await first.kill()
    await first.gone
    const next = await submit('few')
    await next.kill()
    await next.gone
  })

  it.each([
    ['large', 'small', { ...ONE_PROCESS, cpus: 2 }, 'QOSMaxCpuPerJobLimit'],
    ['long', 'brief', ONE_PROCESS, 'QOSMaxWallDurationPerJobLimit'],
  ])(
    'refuses a job that is too %s for its QOS, with the message of Slurm',
    async (_, qos, resources, limit) => {
      await expect(submit(qos, resources)).rejects.toMatchObject({
        code: 'SLURM_REFUSED',
        message: expect.stringContaining(limit),
      })
    },
  )
})
