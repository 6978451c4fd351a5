import { type Prepared, type TrainingConfig, withWhatWasDone } from '@medloom/contracts'
import type { Database } from '../../database/database.js'
import { parsed } from '../../database/parsed.js'
import type { StoredPaths } from '../configuration/stored-paths.js'
import { settingsOf } from '../stored-job.js'

/** A training that has ended, and how long it took. */
export interface EarlierTraining {
  readonly job_id: string
  readonly config: TrainingConfig
  readonly prepared: Prepared
  /** From its start to its end. */
  readonly seconds: number
  readonly epochs: number
  /** Mean of its last epochs. */
  readonly epochSeconds: number
}

/** Newest jobs that are looked through, comparable ones that are read, and epochs of each that are. */
const LOOKED_THROUGH = 200
const MOST_READ = 10
const LAST_EPOCHS = 20

/** Trainings that ended in this service: what an estimate is made from. */
export class EarlierTrainingsRepository {
  constructor(
    private readonly database: Database,
    private readonly paths: StoredPaths,
  ) {}

  /** Newest first: those of this backbone and kind of fusion that trained an epoch and were not stalled or shared between attempts. */
  async like({ model, training }: TrainingConfig): Promise<EarlierTraining[]> {
    const rows = await this.database.reading
      .selectFrom('jobs')
      .select(['number', 'headline'])
      .where('status', 'in', ['completed', 'stopped'])
      .where('ensemble', 'is', null)
      .where('attempt', '=', 1)
      .where('prepared', 'is not', null)
      .where('epoch', '>', 0)
      .orderBy('number', 'desc')
      .limit(LOOKED_THROUGH)
      .execute()
    const numbers = rows
      .filter(({ headline }) => {
        const settings = settingsOf(headline, this.paths)
        return (
          settings.vision_backbone === model.vision_backbone &&
          settings.fusion_type === model.fusion_type &&
          settings.device === training.device
        )
      })
      .slice(0, MOST_READ)
      .map(({ number }) => number)
    const found: EarlierTraining[] = []
    for (const number of numbers) found.push(...(await this.#read(number)))
    return found
  }

  async #read(number: number): Promise<EarlierTraining[]> {
    const row = await this.database.reading
      .selectFrom('jobs')
      .select(['job_id', 'config', 'prepared', 'duration_seconds'])
      .where('number', '=', number)
      .executeTakeFirst()
    const prepared = parsed<Prepared>(row?.prepared ?? null)
    if (!row || !prepared || row.duration_seconds === null) return []
    const epochs = await this.#epochs(row.job_id)
    if (epochs.count === 0) return []
    return [
      {
        job_id: row.job_id,
        config: withWhatWasDone(this.paths.fromStored(JSON.parse(row.config))) as TrainingConfig,
        prepared,
        seconds: row.duration_seconds,
        epochs: epochs.count,
        epochSeconds: epochs.seconds,
      },
    ]
  }

  async #epochs(jobId: string): Promise<{ count: number; seconds: number }> {
    const ended = this.database
      .selectFrom('job_events')
      .where('job_id', '=', jobId)
      .where('type', '=', 'epoch_end')
    const { count } = await ended
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    const last = await ended.select('message').orderBy('seq', 'desc').limit(LAST_EPOCHS).execute()
    const seconds = last.map(
      ({ message }) => (JSON.parse(message) as { duration_seconds: number }).duration_seconds,
    )
    return { count, seconds: seconds.reduce((sum, one) => sum + one, 0) / Math.max(1, seconds.length) }
  }
}
