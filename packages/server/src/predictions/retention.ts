import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { repeatEvery } from '../concurrency/repeat-every.js'
import type { ServiceContext } from '../context.js'
import type { PredictionsRepository } from './predictions.repository.js'

const DAY_MILLISECONDS = 24 * 3600 * 1000
const SWEEP_MILLISECONDS = 3600 * 1000

/** Removes old records and files of predictions, now and every hour. */
export class PredictionRetention {
  #end: () => void = () => undefined
  /** Requests in progress, whose folders are not stored yet. */
  readonly #running = new Set<string>()

  constructor(
    private readonly context: Pick<ServiceContext, 'folder' | 'log'>,
    private readonly repository: PredictionsRepository,
    private readonly days: number,
  ) {}

  start(): void {
    const sweep = () =>
      this.sweep().catch((error) =>
        this.context.log.warn({ err: error }, 'old predictions could not be removed'),
      )
    this.#end = repeatEvery(SWEEP_MILLISECONDS, sweep)
    void sweep()
  }

  close(): void {
    this.#end()
  }

  /** Keeps the folder of a request during its work. */
  async during<Result>(predictionId: string, work: () => Promise<Result>): Promise<Result> {
    this.#running.add(predictionId)
    try {
      return await work()
    } finally {
      this.#running.delete(predictionId)
    }
  }

  async sweep(now = Date.now()): Promise<void> {
    const before = (days: number) => new Date(now - days * DAY_MILLISECONDS).toISOString()
    await this.repository.removeRecordsBefore(before(this.days))
    await this.repository.removeFilesBefore(before(Math.max(this.days, 1)))
    // Also removes what an interrupted task has left.
    const folders = await readdir(this.context.folder.predictions)
    // Read before the stored files: a request that ends meanwhile is in one of the two.
    const running = new Set(this.#running)
    const kept = await this.repository.withFiles()
    for (const name of folders)
      if (!kept.has(name) && !running.has(name))
        await rm(join(this.context.folder.predictions, name), { recursive: true, force: true })
  }
}
