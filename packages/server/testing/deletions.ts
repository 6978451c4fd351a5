import { join } from 'node:path'
import pino from 'pino'
import type { Database } from '../src/database/database.js'
import { removeDurably } from '../src/storage/files.js'
import { ArtifactStore } from '../src/workflows/cache/artifact-store.js'
import { CacheRepository } from '../src/workflows/cache/cache.repository.js'
import { DiskCache } from '../src/workflows/cache/disk-cache.js'
import { DeletionsRepository } from '../src/workflows/deletion/deletions.repository.js'
import { WorkflowDeletions } from '../src/workflows/deletion/workflow-deletions.js'

interface Options {
  removeFolder?: (id: string) => Promise<void>
  retryMilliseconds?: number
}

export const projectFolder = (folder: string, workflowId: string) => join(folder, 'workflows', workflowId)

/** Deletions of workflows in a data folder, as a service creates them. */
export const deletionsOf = (database: Database, folder: string, options: Options = {}) =>
  new WorkflowDeletions({
    repository: new DeletionsRepository(database),
    cache: new DiskCache({
      repository: new CacheRepository(database),
      store: new ArtifactStore(join(folder, 'artifacts')),
      dataDir: folder,
      warn: () => undefined,
      timeToLive: 1000,
    }),
    removeFolder: (id) => removeDurably(projectFolder(folder, id)),
    onRemoved: () => undefined,
    log: pino({ level: 'silent' }),
    ...options,
  })
