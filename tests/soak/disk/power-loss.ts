import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Job } from '@medloom/contracts'
import Libsql from 'libsql'
import { Caller } from '../../testing/http.js'
import { LoopDisk } from '../../testing/loop-disk.js'
import { startService } from '../../testing/service.js'
import { trainingConfig } from '../../testing/training.js'
import { Acknowledged } from './acknowledged.js'
import type { DiskRound } from './round.js'

/** The power is cut while workflows are written and a training runs; the service then starts with the content of the disk. */
export async function losePower({ folder, dataset, root, random, promises }: DiskRound): Promise<void> {
  const disk = new LoopDisk(join(folder, 'mounted'), 256)
  const dataDir = join(disk.folder, 'data')
  const acknowledged = new Acknowledged(promises)
  try {
    const service = await startService({ roots: [root], dataDir })
    const caller = new Caller(service.url)
    const jobId = await caller.start(trainingConfig(dataset, { training: { epochs: 5000 } }), 'power')
    const writers = [1, 2, 3].map(() => acknowledged.writeUntilGone(caller))
    await delay(random() * 6000)
    const before = await caller.status(jobId)
    disk.cutPower()
    await service.kill()
    await Promise.all(writers)
    await disk.restorePower()

    promises.check('the database is sound', soundness(join(dataDir, 'medloom.db')) === 'ok')
    const next = await startService({ roots: [root], dataDir })
    try {
      const after = new Caller(next.url)
      await acknowledged.check(after)
      await checkJob(after, before)
    } finally {
      await next.kill()
    }
  } finally {
    disk.remove()
  }

  /** The job is reported as lost and resumable, or still waits and starts now; no reported epoch is withdrawn. */
  async function checkJob(caller: Caller, before: Job): Promise<void> {
    const job = await caller.until(
      before.job_id,
      ({ status, epoch }) => status === 'failed' || (status === 'running' && epoch >= 1),
      60,
    )
    const details = JSON.stringify({ status: job.status, epoch: job.epoch, error: job.error })
    promises.check('no epoch that was told is taken back', job.epoch >= before.epoch, details)
    if (job.status !== 'failed') return
    promises.check('a training that was cut off is told as lost', job.error?.code === 'WORKER_LOST', details)
    if (!job.resumable) return
    const resumed = await caller.post<{ job_id: string }>(`/api/training/${job.job_id}/resume`)
    promises.check(
      'what is said to be resumable can be resumed',
      resumed.status === 200,
      JSON.stringify(resumed.body),
    )
    const again = await caller.until(
      resumed.body.job_id,
      ({ epoch, ended_at }) => ended_at !== null || epoch > job.epoch,
    )
    promises.check(
      'what was resumed trains on',
      again.ended_at === null && again.epoch > 1,
      JSON.stringify(again.error),
    )
  }
}

function soundness(path: string): unknown {
  const database = new Libsql(path)
  try {
    const [row] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    return row?.integrity_check
  } finally {
    database.close()
  }
}
