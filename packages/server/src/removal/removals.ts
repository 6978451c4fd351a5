import { lstat, readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { inEnglish, type Phrase, type Removal } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { Transaction } from 'kysely'
import { yieldIfDue } from '../concurrency/event-loop.js'
import type { Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { RemovalsRepository } from './removals.repository.js'

export interface RemovalPlan {
  readonly id: string
  /** Absolute paths inside the data folder. */
  readonly folders: readonly string[]
  readonly lost: readonly Phrase[]
}

/**
 * Removes items that have rows and folders. The rows are removed first, in one transaction that also stores the folders: whatever happens
 * then, no row refers to a missing file, and the folders are deleted at the next start at the latest.
 */
export class Removals {
  readonly #repository: RemovalsRepository

  constructor(
    private readonly context: {
      readonly database: Database
      readonly folder: { readonly path: string }
      readonly log: Pick<FastifyBaseLogger, 'warn'>
    },
  ) {
    this.#repository = new RemovalsRepository(context.database)
  }

  /**
   * @param plan returns what is removed. @throws AppError when it is in use; called again in the transaction that removes.
   * @param removeRows in the same transaction.
   */
  async remove(
    dryRun: boolean,
    plan: (transaction: Transaction<Tables>) => Promise<RemovalPlan>,
    removeRows: (transaction: Transaction<Tables>) => Promise<void>,
  ): Promise<Removal> {
    const { database, folder } = this.context
    const planned = await database.transaction().execute(plan)
    const measured = await sizeOf(planned.folders)
    if (!dryRun)
      await database.transaction().execute(async (transaction) => {
        const { folders } = await plan(transaction)
        await removeRows(transaction)
        await this.#repository.add(
          folders.map((path) => relative(folder.path, path)),
          transaction,
        )
      })
    if (!dryRun) await this.finish()
    return {
      id: planned.id,
      dry_run: dryRun,
      ...measured,
      folders: [...planned.folders],
      lost: planned.lost.map((what) => inEnglish([what])),
      lost_phrases: [...planned.lost],
    }
  }

  /** Delete the folders that still exist. A folder that cannot be deleted now is retried at the next start. */
  async finish(): Promise<void> {
    const { folder, log } = this.context
    for (const path of await this.#repository.pending())
      try {
        const target = join(folder.path, path)
        if (!target.startsWith(folder.path + sep)) throw new Error('the path is outside the data folder')
        await rm(target, { recursive: true, force: true })
        await this.#repository.done(path)
      } catch (error) {
        log.warn(
          { err: error, path },
          'a folder could not be deleted; deletion is repeated at the next start',
        )
      }
  }
}

/** Files below the folders, links not followed. */
async function sizeOf(folders: readonly string[]): Promise<{ files: number; size_bytes: number }> {
  let [files, size_bytes] = [0, 0]
  const open = [...folders]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      await yieldIfDue()
      const path = join(folder, entry.name)
      if (entry.isDirectory()) open.push(path)
      else {
        files += 1
        size_bytes += (await lstat(path).catch(() => null))?.size ?? 0
      }
    }
  }
  return { files, size_bytes }
}
