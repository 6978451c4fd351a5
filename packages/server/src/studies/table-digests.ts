import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { atPlace, phrase, type TrainingConfig } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { readableTables } from '../storage/readable-tables.js'
import type { FileDigests } from '../workflows/sources/file-digests.js'
import { type StudyRecord, TABLE_KEYS, type TableKey } from './study-record.js'

/** Digests of the tables of a study, to detect changes. Times do not count: a file that was copied back is unchanged. */
export class TableDigests {
  constructor(private readonly files: Pick<FileDigests, 'digests'>) {}

  /** SHA-256 of each table that the configuration names. @throws AppError FILE_NOT_FOUND for a missing one. */
  async compute({ data }: TrainingConfig): Promise<StudyRecord['digests']> {
    const named = TABLE_KEYS.flatMap((key) => (data[key] === null ? [] : [{ key, path: data[key] }]))
    const digests =
      data.recipe == null
        ? await this.files.digests(named.map(({ path }) => path))
        : await Promise.all(named.map(({ path }) => this.#digestOfFolder(path)))
    return Object.fromEntries(
      named.map(({ key }, index) => {
        const digest = digests[index]
        if (!digest)
          throw new AppError('FILE_NOT_FOUND', atPlace(`config.data.${key}`, phrase('path_not_readable')))
        return [key, digest]
      }),
    )
  }

  /** A recipe also reads other tables of the folder, and the names in it; null if the source does not exist. */
  async #digestOfFolder(path: string): Promise<string | null> {
    const found = await stat(path).catch(() => null)
    if (!found) return null
    const folder = found.isDirectory() ? path : dirname(path)
    const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
    const contents = await this.files.digests(await readableTables(folder))
    return createHash('sha256')
      .update(JSON.stringify([names, contents]))
      .digest('hex')
  }

  /** The problem with the tables; null: each is unchanged since the study was accepted. */
  async changed({ config, digests }: Pick<StudyRecord, 'config' | 'digests'>): Promise<AppError | null> {
    const now = await this.compute(config.config).catch((error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    })
    if (now instanceof AppError) return new AppError('STUDY_DATA_CHANGED', now.text)
    const key = (Object.keys(digests) as TableKey[]).find((name) => now[name] !== digests[name])
    if (key === undefined) return null
    return new AppError(
      'STUDY_DATA_CHANGED',
      atPlace(`config.data.${key}`, phrase('table_has_changed', { path: config.config.data[key] ?? '' })),
    )
  }
}
