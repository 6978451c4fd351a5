import { type JobSettings, type Prepared, type TrainingConfig, withEarlierBehavior } from '@medloom/contracts'
import { BoundedMap } from '../../concurrency/bounded-map.js'
import type { Database } from '../../database/database.js'
import { parsed } from '../../database/parsed.js'
import type { StoredPaths } from '../configuration/stored-paths.js'

/** A finished training and its duration. */
export interface EarlierTraining {
  readonly job_id: string
  readonly config: TrainingConfig
  readonly prepared: Prepared
  /** Time from its start to its end. */
  readonly seconds: number
  readonly epochs: number
  /** Mean duration of its last epochs. */
  readonly epochSeconds: number
}

/** Limits: newest jobs that are searched, comparable ones that are read, and last epochs that are read of each. */
const LOOKED_THROUGH = 200
const MOST_READ = 10
const LAST_EPOCHS = 20
/** Maximum number of cached trainings. */
const MOST_KNOWN = 100

/**
 * Trainings that ended in this service, the basis of an estimate. A start waits for its estimate, so the queries wait for no transaction.
 */
export class EarlierTrainingsRepository {
  /** By job, most recently used last. Ended trainings do not change; null: not usable for estimates. */
  readonly #known = new BoundedMap<string, EarlierTraining | null>(MOST_KNOWN)

  constructor(
    private readonly database: Database,
    private readonly paths: StoredPaths,
  ) {}

  /**
   * Newest first: trainings with this backbone and kind of fusion that finished an epoch and were neither stalled nor split between
   * attempts.
   */
  async like({ model, training }: TrainingConfig): Promise<EarlierTraining[]> {
    const rows = await this.database.reading
      .selectFrom('jobs')
      .select(['job_id', 'headline'])
      .where('status', 'in', ['completed', 'stopped'])
      .where('ensemble', 'is', null)
      .where('attempt', '=', 1)
      .where('prepared', 'is not', null)
      .where('epoch', '>', 0)
      .orderBy('number', 'desc')
      .limit(LOOKED_THROUGH)
      .execute()
    const jobIds = rows
      .filter(({ headline }) => {
        const { vision_backbone, fusion_type, device } = JSON.parse(headline) as Headline
        return (
          vision_backbone === model.vision_backbone &&
          fusion_type === model.fusion_type &&
          device === training.device
        )
      })
      .slice(0, MOST_READ)
      .map(({ job_id }) => job_id)
    const found = await Promise.all(jobIds.map((jobId) => this.#find(jobId)))
    return found.filter((one) => one !== null)
  }

  async #find(jobId: string): Promise<EarlierTraining | null> {
    const known = this.#known.get(jobId)
    const training = known === undefined ? await this.#read(jobId) : known
    this.#known.set(jobId, training)
    return training
  }

  async #read(jobId: string): Promise<EarlierTraining | null> {
    const [row, epochs] = await Promise.all([
      this.database.reading
        .selectFrom('jobs')
        .select(['config', 'prepared', 'duration_seconds'])
        .where('job_id', '=', jobId)
        .executeTakeFirst(),
      this.#epochs(jobId),
    ])
    const prepared = parsed<Prepared>(row?.prepared ?? null)
    if (!row || !prepared || row.duration_seconds === null || epochs.count === 0) return null
    return {
      job_id: jobId,
      config: withEarlierBehavior(this.paths.fromStored(JSON.parse(row.config))) as TrainingConfig,
      prepared,
      seconds: row.duration_seconds,
      epochs: epochs.count,
      epochSeconds: epochs.seconds,
    }
  }

  async #epochs(jobId: string): Promise<{ count: number; seconds: number }> {
    const ended = this.database.reading
      .selectFrom('job_events')
      .where('job_id', '=', jobId)
      .where('type', '=', 'epoch_end')
    const [{ count }, last] = await Promise.all([
      ended.select((select) => select.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
      ended.select('message').orderBy('seq', 'desc').limit(LAST_EPOCHS).execute(),
    ])
    const seconds = last.map(
      ({ message }) => (JSON.parse(message) as { duration_seconds: number }).duration_seconds,
    )
    return { count, seconds: seconds.reduce((sum, one) => sum + one, 0) / Math.max(1, seconds.length) }
  }
}

/** Listed settings that make trainings comparable. */
type Headline = Pick<JobSettings, 'vision_backbone' | 'fusion_type' | 'device'>
