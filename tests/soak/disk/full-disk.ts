import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Caller } from '../../testing/http.js'
import { startService } from '../../testing/service.js'
import { SmallDisk } from '../../testing/small-disk.js'
import { Acknowledged } from './acknowledged.js'
import { fill } from './fill.js'
import type { DiskRound } from './round.js'

/** The disk of the data folder fills up to the last byte, is freed again, and the service is killed. */
export async function fillDisk({ folder, root, random, promises }: DiskRound): Promise<void> {
  const disk = new SmallDisk(join(folder, 'mounted'), 64)
  const dataDir = join(disk.folder, 'data')
  const acknowledged = new Acknowledged(promises)
  let service = await startService({ roots: [root], dataDir })
  try {
    const caller = new Caller(service.url)
    const create = async (count: number) => {
      for (let index = 0; index < count; index++) await acknowledged.create(caller)
    }
    await create(3 + Math.floor(random() * 10))
    const fillers = [fill(join(disk.folder, 'filler'))]
    await create(10)
    // Space that was freed in between, for example by a database checkpoint, is filled again.
    fillers.push(fill(join(disk.folder, 'filler-2')))
    await create(20)
    promises.check(
      'the service answers on a full disk',
      (await caller.get('/api/system/health')).status === 200,
    )
    await acknowledged.check(caller)
    for (const filler of fillers) rmSync(filler)
    promises.check('work goes on when there is space again, without a restart', await soon(caller))
    await service.kill()
    service = await startService({ roots: [root], dataDir })
    await acknowledged.check(new Caller(service.url))
  } finally {
    await service.kill()
    disk.remove()
  }

  async function soon(caller: Caller): Promise<boolean> {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await delay(100))
      if (await acknowledged.create(caller)) return true
    return false
  }
}
