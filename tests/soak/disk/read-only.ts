import { join } from 'node:path'
import { Caller } from '../../testing/http.js'
import { LoopDisk } from '../../testing/loop-disk.js'
import { startService } from '../../testing/service.js'
import { longTrainingConfig } from '../../testing/training.js'
import type { DiskRound } from './round.js'

/** Long enough for a busy machine. */
const SECONDS = 180

interface Readiness {
  readonly status: string
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly message: string }>>
}

/** The file system of the data folder becomes read-only in the middle of a training while another one waits, and is mounted again. */
export async function becomeReadOnly({ folder, dataset, root, promises }: DiskRound): Promise<void> {
  const disk = new LoopDisk(join(folder, 'mounted'), 96)
  const start = () =>
    startService({ roots: [root], dataDir: join(disk.folder, 'data'), arguments: ['--max-jobs', '1'] })
  let service = await start()
  try {
    let caller = new Caller(service.url)
    const config = longTrainingConfig(dataset, { model: { vision_backbone: 'none' } })
    const running = await caller.start(config, 'running')
    const waiting = await caller.start(config, 'waiting')
    await caller.until(running, ({ epoch }) => epoch >= 2, SECONDS)
    disk.becomeReadOnly()

    const failed = await caller.until(
      running,
      ({ ended_at, error }) => ended_at !== null || error !== null,
      SECONDS,
    )
    promises.check(
      'a training on a read-only disk ends with STORAGE_DENIED and its folder',
      failed.error?.code === 'STORAGE_DENIED' && failed.error.message.includes(running),
      JSON.stringify(failed.error),
    )
    const queued = await caller.until(
      waiting,
      ({ reason }) => /EROFS|denied|disk/i.test(reason ?? ''),
      SECONDS,
    )
    promises.check(
      'a waiting training does not fail because of the read-only disk',
      queued.error === null && queued.status === 'started',
      JSON.stringify({ status: queued.status, reason: queued.reason, error: queued.error }),
    )
    const ready = await caller.get<Readiness>('/api/system/ready')
    const { disk: disks, queue } = ready.body.checks
    promises.check(
      'ready names the read-only disk and the paused queue',
      disks?.ok === false && disks.message.includes('EROFS') && queue?.ok === false,
      JSON.stringify(ready.body),
    )

    await service.kill()
    await disk.restorePower()
    service = await start()
    caller = new Caller(service.url)
    const again = await caller.until(
      waiting,
      ({ epoch, ended_at }) => epoch >= 1 || ended_at !== null,
      SECONDS,
    )
    promises.check(
      'the waiting training starts once the disk is writable',
      again.ended_at === null,
      JSON.stringify(again),
    )
    const ended = await caller.until(running, ({ ended_at }) => ended_at !== null, SECONDS)
    promises.check('the ended training can be resumed', ended.resumable, JSON.stringify(ended.error))
    await caller.post(`/api/training/${waiting}/stop`)
  } finally {
    await service.kill()
    disk.remove()
  }
}
