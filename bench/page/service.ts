import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../packages/server/src/database/database.js'
import { type RunningService, startService, temporaryFolder } from '../../tests/testing/service.js'

interface Folders {
  readonly root: string
  readonly dataDir: string
}

/** Runs `work` with a service whose folders were filled first. Both are always removed afterwards. */
export async function withService<Filled, Result>(
  { fill, arguments: given = [] }: { fill: (folders: Folders) => Promise<Filled>; arguments?: string[] },
  work: (service: RunningService, filled: Filled) => Promise<Result>,
): Promise<Result> {
  const folders = { root: temporaryFolder('page-root'), dataDir: temporaryFolder('page-data') }
  try {
    const filled = await fill(folders)
    const { root, dataDir } = folders
    const service = await startService({
      roots: [root],
      dataDir,
      arguments: ['--log-level', 'warn', ...given],
    })
    try {
      return await work(service, filled)
    } finally {
      await service.stop()
    }
  } finally {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes to the database of a service that is not running. */
export async function fillDatabase<Filled>(
  dataDir: string,
  fill: (database: Database) => Promise<Filled>,
): Promise<Filled> {
  const database = await openDatabase(join(dataDir, 'medloom.db'))
  try {
    return await fill(database)
  } finally {
    await database.destroy()
  }
}
