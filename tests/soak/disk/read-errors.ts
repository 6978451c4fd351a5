import { cpSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Caller } from '../../testing/http.js'
import { LoopDisk } from '../../testing/loop-disk.js'
import { startService } from '../../testing/service.js'
import type { DiskRound } from './round.js'

const TABLES = ['train.csv', 'val.csv', 'test.csv']

/** A part of the disk with a user's data cannot be read for some time. */
export async function failReads({ folder, dataset, random, promises }: DiskRound): Promise<void> {
  const disk = new LoopDisk(join(folder, 'mounted'), 32)
  const data = join(disk.folder, basename(dataset))
  cpSync(dataset, data, { recursive: true })
  disk.breakFrom(join(data, TABLES[Math.floor(random() * TABLES.length)] ?? ''))
  const service = await startService({ roots: [disk.folder], dataDir: join(folder, 'data') })
  try {
    const caller = new Caller(service.url)
    const inspect = (table: string) =>
      caller.post<{ code?: string; error?: string }>('/api/datasets/inspect', { path: join(data, table) })
    const unreadable = TABLES.filter((table) => !canRead(join(data, table)))
    promises.check('the fault is there', unreadable.length > 0)
    for (const table of TABLES) {
      const { status, body } = await inspect(table)
      const details = `${table}: ${JSON.stringify(body)}`
      if (unreadable.includes(table))
        promises.check(
          'a file that cannot be read is refused by its name, not as a defect',
          status === 400 && (body.error ?? '').includes(table),
          details,
        )
      else promises.check('files beside it are read', status === 200, details)
    }
    promises.check(
      'the service answers beside a failing disk',
      (await caller.get('/api/system/health')).status === 200,
    )
    disk.repair()
    for (const table of TABLES) {
      const { status, body } = await inspect(table)
      promises.check(
        'what can be read again is read, without a restart',
        status === 200,
        JSON.stringify(body),
      )
    }
  } finally {
    await service.kill()
    disk.remove()
  }
}

function canRead(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
