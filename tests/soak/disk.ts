import './end-on-signal.js'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { whyNoLoopDisk } from '../testing/loop-disk.js'
import { temporaryFolder } from '../testing/service.js'
import { canMount } from '../testing/small-disk.js'
import { fillDisk } from './disk/full-disk.js'
import { fillDuringTraining } from './disk/full-training.js'
import { losePower } from './disk/power-loss.js'
import { failReads } from './disk/read-errors.js'
import { becomeReadOnly } from './disk/read-only.js'
import type { DiskRound } from './disk/round.js'
import { Promises } from './promises.js'
import { randomOf } from './random.js'

/**
 * Cuts the power, fills the disk, also during a training, and makes a part of it unreadable, round after round, on its own file systems, and
 * throws at the first broken promise. The table lists faults that the machine does not support, without counting them.
 *
 *     npm run soak:disk -- [--rounds 20] [--fault power|full|training|readonly|read] [--seed 1]
 */
export const FAULTS = ['power', 'full', 'training', 'readonly', 'read'] as const
export type Fault = (typeof FAULTS)[number]

const RUN: Record<Fault, (round: DiskRound) => Promise<void>> = {
  power: losePower,
  full: fillDisk,
  training: fillDuringTraining,
  readonly: becomeReadOnly,
  read: failReads,
}

/** Reason why a fault is not supported on this machine, or null. */
export const whyNot: Record<Fault, string | null> = {
  power: whyNoLoopDisk,
  full: canMount ? null : 'no tmpfs can be mounted',
  training: canMount ? null : 'no tmpfs can be mounted',
  readonly: whyNoLoopDisk,
  read: whyNoLoopDisk,
}

export interface DiskSoakOptions {
  /** Rounds per fault. */
  readonly rounds: number
  /** Absent: each in turn. */
  readonly fault?: Fault
  readonly dataset: string
  readonly seed?: number
  readonly promises: Promises
  readonly log?: (line: string) => void
}

export async function soakDisk({
  rounds,
  fault,
  dataset,
  seed = 1,
  promises,
  log = () => {},
}: DiskSoakOptions): Promise<void> {
  const random = randomOf(seed)
  const faults = fault ? [fault] : FAULTS
  for (const name of faults) if (whyNot[name] !== null) promises.notTried(name, whyNot[name])
  for (let index = 0; index < rounds; index++)
    for (const name of faults.filter((one) => whyNot[one] === null)) {
      const folder = temporaryFolder('disk')
      const began = Date.now()
      try {
        await RUN[name]({ folder, dataset, root: dirname(dataset), random, promises })
        promises.check(`rounds of ${name}`, true)
        log(`round ${index + 1}, ${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      fault: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const fault = FAULTS.find((name) => name === values.fault)
  if (values.fault !== undefined && !fault) throw new Error(`--fault takes ${FAULTS.join(', ')}`)
  const dataset = makeDataset(join(temporaryFolder('soak-data'), 'synthetic'))
  const promises = new Promises()
  const table = () => console.log(`\n${promises.table()}`)
  const ended = registerCleanup(table)
  try {
    await soakDisk({
      rounds: Number(values.rounds),
      seed: Number(values.seed),
      dataset,
      promises,
      log: console.log,
      ...(fault ? { fault } : {}),
    })
  } finally {
    ended()
    table()
    rmSync(dirname(dataset), { recursive: true, force: true })
  }
}
