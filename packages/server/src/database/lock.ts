import { openConnection } from './sqlite/open-connection.js'

export interface FolderLock {
  release(): void
}

/**
 * Locks `file` exclusively; undefined when another process holds the lock.
 * An open SQLite transaction is a lock of the kernel: it ends with the process, however that ends, so it is never stale.
 */
export function lockFolder(file: string): FolderLock | undefined {
  const connection = openConnection(file, { timeout: 0 })
  try {
    // A full disk has no room for a journal, and none is needed: nothing is ever committed.
    connection.exec('PRAGMA journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  return {
    release: () => {
      connection.exec('ROLLBACK')
      connection.close()
    },
  }
}
