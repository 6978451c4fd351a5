import type { TrainingConfig } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { FileDigests } from '../workflows/sources/file-digests.js'
import { type StudyRecord, TABLE_KEYS, type TableKey } from './study-record.js'

/** What is in the tables of a study, and whether it is still what it was. Times do not count: a file that was copied back is the same. */
export class TableDigests {
  constructor(private readonly files: Pick<FileDigests, 'of'>) {}

  /** sha256 of each table that the configuration names. @throws AppError FILE_NOT_FOUND for one that went away. */
  async of({ data }: TrainingConfig): Promise<StudyRecord['digests']> {
    const named = TABLE_KEYS.flatMap((key) => (data[key] === null ? [] : [{ key, path: data[key] }]))
    const digests = await this.files.of(named.map(({ path }) => path))
    return Object.fromEntries(
      named.map(({ key }, index) => {
        const digest = digests[index]
        if (!digest)
          throw new AppError(
            'FILE_NOT_FOUND',
            `config.data.${key}: the file does not exist or cannot be read`,
          )
        return [key, digest]
      }),
    )
  }

  /** What is wrong with the tables; null: each is what it was when the study was accepted. */
  async changed({ config, digests }: Pick<StudyRecord, 'config' | 'digests'>): Promise<AppError | null> {
    const now = await this.of(config.config).catch((error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    })
    if (now instanceof AppError) return new AppError('STUDY_DATA_CHANGED', now.message)
    const key = (Object.keys(digests) as TableKey[]).find((name) => now[name] !== digests[name])
    if (key === undefined) return null
    return new AppError(
      'STUDY_DATA_CHANGED',
      `config.data.${key}: ${config.config.data[key]} was changed after the study had started`,
    )
  }
}
