import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Caller } from '../../testing/http.js'
import { startService } from '../../testing/service.js'
import { SmallDisk } from '../../testing/small-disk.js'
import { longTrainingConfig } from '../../testing/training.js'
import { fill } from './fill.js'
import type { DiskRound } from './round.js'

/** Long enough for a machine that is busy with other work. */
const SECONDS = 180

/** The disk of the data folder fills up during a training, and is freed again. */
export async function fillDuringTraining({
  folder,
  dataset,
  root,
  random,
  promises,
}: DiskRound): Promise<void> {
  const disk = new SmallDisk(join(folder, 'mounted'), 96)
  const service = await startService({ roots: [root], dataDir: join(disk.folder, 'data') })
  try {
    const caller = new Caller(service.url)
    const config = longTrainingConfig(dataset, { model: { vision_backbone: 'none' } })
    const jobId = await caller.start(config, 'full')
    await caller.until(jobId, ({ epoch }) => epoch >= 2, SECONDS)
    await delay(random() * 1000)
    // Repeated, because space may be freed in between, for example by a replaced checkpoint.
    const fillers = ['filler', 'filler-2'].map((name) => fill(join(disk.folder, name)))
    const failed = await caller.until(
      jobId,
      ({ ended_at, error }) => ended_at !== null || error !== null,
      SECONDS,
    )
    const details = JSON.stringify({ status: failed.status, error: failed.error })
    promises.check(
      'a training that the full disk ends is told as DISK_FULL',
      failed.error?.code === 'DISK_FULL',
      details,
    )
    const result = JSON.parse(readFileSync(join(failed.run_dir, 'result.json'), 'utf8'))
    promises.check('its result is on the full disk', result.code === 'DISK_FULL', JSON.stringify(result))
    promises.check(
      'the service answers on a full disk',
      (await caller.get('/api/system/health')).status === 200,
    )
    for (const filler of fillers) rmSync(filler)
    const ended = await caller.until(jobId, ({ status }) => status === 'failed', SECONDS)
    promises.check(
      'nothing of the disk is kept for a training that has ended',
      !readdirSync(ended.run_dir).some((name) => name.startsWith('reserve')),
    )
    const resumed = await caller.post<{ job_id: string }>(`/api/training/${jobId}/resume`)
    promises.check(
      'a training that the full disk ended can be resumed when there is space again',
      resumed.status === 200,
      JSON.stringify(resumed.body),
    )
    const again = await caller.until(
      resumed.body.job_id,
      ({ epoch, ended_at }) => ended_at !== null || epoch > ended.epoch,
      SECONDS,
    )
    promises.check('what was resumed trains on', again.ended_at === null, JSON.stringify(again.error))
    await caller.post(`/api/training/${resumed.body.job_id}/stop`)
  } finally {
    await service.kill()
    disk.remove()
  }
}
