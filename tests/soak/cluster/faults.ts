import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { executeStatement } from '../../../packages/server/testing/postgres-server.js'
import { processesWith } from '../../../packages/server/testing/processes.js'
import { canMount } from '../../testing/small-disk.js'
import type { Promises } from '../promises.js'
import { loseController, TAKEOVER_SECONDS, takenOver } from './controller.js'
import type { Deployment, DeploymentOptions } from './deployment.js'
import { groupLosesNode } from './group.js'
import type { Load } from './load.js'
import { nodeDiskFillsUp } from './node-disk.js'
import { objectStoresAreFull } from './object-store.js'
import { PAD_DATA, type PadSizes, padAbsent, padSurvives } from './pad.js'
import { canPartition } from './partition.js'
import { actorIsKilled } from './ray-actor.js'
import { studyLosesNode } from './study.js'
import { makeTutorialData, tutorialSurvives } from './tutorial.js'

/** Sizes of the long faults from the command line. */
export interface FaultSizes {
  /** Size of the study that loses a node. */
  readonly trainings: number
  /** Size of the study of PAD-UFES-20. */
  readonly pad: PadSizes
}

/** One row of the fault table. */
export interface Fault {
  readonly what: string
  readonly on: DeploymentOptions['on']
  /** Reason why this machine does not support it; absent: it does. */
  readonly absent?: () => string | undefined
  readonly options?: () => Partial<DeploymentOptions>
  /** Permitted outcomes of its jobs. */
  readonly ends: readonly ('completed' | 'failed' | 'stopped')[]
  /** Breaks the deployment while it works, and repairs what a supervisor or an administrator would repair. @returns observations */
  readonly strike: (
    deployment: Deployment,
    load: Load,
    promises: Promises,
    sizes: FaultSizes,
  ) => Promise<string>
}

export const FAULTS = {
  controller: {
    what: 'kill -9 of the controller, in the middle of trainings and of a workflow',
    on: 'local',
    ends: ['completed'],
    async strike(deployment, load, promises) {
      await busy(load)
      await load.run()
      const seconds = await loseController(deployment, promises)
      return `replaced after ${seconds.toFixed(1)} s`
    },
  },
  api: {
    what: 'kill -9 of an API process while it accepts work',
    on: 'local',
    ends: ['completed'],
    async strike(deployment, load) {
      const accepting = load.accept(8)
      await delay(150)
      await deployment.apis[0]?.kill()
      await deployment.startApi(0)
      await accepting
      return `${load.jobs.length} jobs acknowledged`
    },
  },
  trainer: {
    what: 'kill -9 of a trainer',
    on: 'local',
    ends: ['completed', 'failed'],
    async strike(deployment, load, promises) {
      const jobId = await busy(load)
      const [row] = await deployment.select<{ handle: string }>(
        `SELECT handle FROM jobs WHERE job_id = '${jobId}'`,
      )
      const began = performance.now()
      process.kill(JSON.parse(row?.handle ?? '{}').pid, 'SIGKILL')
      const job = await load.until(jobId, ({ status }) => status === 'failed', 30)
      const seconds = (performance.now() - began) / 1000
      promises.check(
        'a lost trainer is said to be lost within 5 s and can be resumed',
        seconds <= 5 && job.error?.code === 'WORKER_LOST' && job.resumable,
        `${seconds} s, ${job.error?.code}`,
      )
      return `noticed after ${seconds.toFixed(1)} s`
    },
  },
  'ray-worker': {
    what: 'kill -9 of the process of a Ray job',
    on: 'ray',
    ends: ['completed', 'failed'],
    async strike(_deployment, load, promises) {
      const jobId = await busy(load)
      const { run_dir } = await load.status(jobId)
      for (const { pid } of processesWith(run_dir)) process.kill(pid, 'SIGKILL')
      const job = await load.until(jobId, ({ status }) => status === 'failed', 60)
      promises.check('a job that ended without a result is not a success', job.error?.code === 'WORKER_LOST')
      return String(job.reason)
    },
  },
  'ray-actor': {
    what: 'kill -9 of a Ray actor that computes a node, in the middle of a workflow',
    on: 'ray',
    options: () => ({ nodesOnRay: true }),
    ends: [],
    strike: actorIsKilled,
  },
  raylet: {
    what: 'loss of the Ray node on which a training runs',
    on: 'ray',
    ends: ['completed'],
    async strike(deployment, load, promises) {
      const { run_dir, epoch } = await load.status(await busy(load))
      await deployment.loseNode(deployment.nodeOfTraining(run_dir))
      const { attempt } = await load.ended(load.jobs[0] ?? '')
      promises.check('a training that lost its node goes on as the next attempt', attempt === 2)
      return `lost after epoch ${epoch}, back after 5 s`
    },
  },
  group: {
    what: 'loss of one of the two Ray nodes of one training',
    on: 'ray',
    ends: ['completed'],
    strike: groupLosesNode,
  },
  'node-disk': {
    what: 'a full disk on a Ray node while a training runs there',
    on: 'ray',
    absent: () => (canMount ? undefined : 'small disks need Linux and the right to mount'),
    options: () => ({ nodeDisk: 64 }),
    ends: ['completed', 'failed'],
    strike: nodeDiskFillsUp,
  },
  'object-store': {
    what: 'a full object store on every Ray node',
    on: 'ray',
    options: () => ({ nodesOnRay: true, noSpilling: true }),
    ends: ['completed'],
    strike: objectStoresAreFull,
  },
  study: {
    what: 'loss of a Ray node in the middle of a study',
    on: 'ray',
    ends: ['completed'],
    strike: (deployment, _load, promises, { trainings }) => studyLosesNode(deployment, promises, trainings),
  },
  tutorial: {
    what: "kill -9 of the service and loss of a Ray node in the tutorial's trainings",
    on: 'ray',
    options: () => ({ dataset: makeTutorialData() }),
    ends: ['completed'],
    strike: tutorialSurvives,
  },
  pad: {
    what: 'kill -9 of the controller and loss of a Ray node in the study of PAD-UFES-20',
    on: 'ray',
    absent: padAbsent,
    options: () => ({ dataset: PAD_DATA }),
    ends: ['completed'],
    strike: (deployment, _load, promises, { pad }) => padSurvives(deployment, promises, pad),
  },
  head: {
    what: 'loss of the Ray head, which forgets every submission',
    on: 'ray',
    ends: ['completed', 'failed'],
    async strike(deployment, load) {
      await busy(load)
      await deployment.loseCluster()
      return 'head and nodes were started again'
    },
  },
  database: {
    what: 'PostgreSQL is stopped at once in the middle of commits, and started again',
    on: 'local',
    ends: ['completed'],
    async strike(deployment, load) {
      await busy(load)
      const accepting = load.accept(12)
      for (let round = 0; round < 3; round++) {
        await delay(700)
        await deployment.postgres.stop('immediate')
        await delay(300)
        await deployment.postgres.start()
      }
      await accepting
      return `3 restarts, ${load.jobs.length} jobs acknowledged`
    },
  },
  partition: {
    what: 'a partition between the service and the nodes for 20 s',
    on: 'ray',
    absent: canPartition,
    options: () => ({ apart: true }),
    ends: ['completed'],
    async strike(deployment, load) {
      await busy(load)
      deployment.network?.cut()
      await delay(20_000)
      deployment.network?.join()
      return 'joined again after 20 s; no job was given up'
    },
  },
  clock: {
    what: 'the clock of the controller jumps by a day, forwards and back',
    on: 'local',
    absent: () => (fakeTime() ? undefined : 'libfaketime is not installed'),
    options: () => ({ fakeTime: fakeTime() }),
    ends: ['completed'],
    async strike(deployment, load) {
      await busy(load)
      deployment.setClock('+1d')
      await delay(3000)
      await load.accept(2)
      deployment.setClock('-1d')
      await delay(3000)
      await load.accept(2)
      deployment.setClock('+0')
      return 'one day forwards, one day back'
    },
  },
  'hung-controller': {
    what: 'a controller stands still with its connections open, and wakes beside its successor',
    on: 'local',
    ends: ['completed'],
    async strike(deployment, load, promises) {
      await busy(load)
      await load.run()
      const fence = await deployment.fence()
      const old = await deployment.controller()
      const began = performance.now()
      old.process.kill('SIGSTOP')
      const seconds = await takenOver(deployment, fence, began)
      promises.check(
        'a controller that hangs is replaced within 10 s',
        seconds <= TAKEOVER_SECONDS,
        `${seconds} s`,
      )
      const successor = await deployment.fence()
      old.process.kill('SIGCONT')
      await delay(5000)
      promises.check('one controller at a time', (await deployment.fence()) === successor)
      return `replaced after ${seconds.toFixed(1)} s`
    },
  },
  'two-controllers': {
    what: 'a controller stands still until it has lost its lock, and wakes beside its successor',
    on: 'local',
    ends: ['completed'],
    async strike(deployment, load, promises) {
      await busy(load)
      const fence = await deployment.fence()
      const old = await deployment.controller()
      old.process.kill('SIGSTOP')
      await executeStatement(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'medloom' AND pid IN
          (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`,
        deployment.databaseUrl,
      )
      const seconds = await takenOver(deployment, fence, performance.now())
      const successor = await deployment.fence()
      old.process.kill('SIGCONT')
      await delay(5000)
      promises.check('one controller at a time', (await deployment.fence()) === successor)
      return `the successor began after ${seconds.toFixed(1)} s`
    },
  },
} as const satisfies Readonly<Record<string, Fault>>
export type FaultName = keyof typeof FAULTS

/** Several trainings, one of which is between its first and its last epoch. @returns its id */
async function busy(load: Load): Promise<string> {
  await load.accept(3, 150)
  const [first = ''] = load.jobs
  await load.until(first, ({ epoch }) => epoch >= 2)
  return first
}

/** Library that gives a process another clock; Debian's package libfaketime. */
export function fakeTime(): string | undefined {
  return ['x86_64', 'aarch64']
    .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
    .find((file) => existsSync(file))
}
