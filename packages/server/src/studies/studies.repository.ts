import {
  type Fold,
  type JobStatus,
  type Metrics,
  type SearchSettings,
  StudyConfig,
  type StudyStatus,
  type StudyTraining,
  type TrainingConfig,
  withWhatWasDone,
} from '@medloom/contracts'
import { type Selectable, sql, type Transaction } from 'kysely'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import { parsed } from '../database/parsed.js'
import type { StudyRow, Tables } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import type { StoredPaths } from '../training/configuration/stored-paths.js'
import type { TrainingCount } from './study-progress.js'
import type { StudyRecord, TrainingAttempt, TrainingRecord } from './study-record.js'

export type NewStudy = Pick<
  StudyRecord,
  'study_id' | 'name' | 'message' | 'config' | 'digests' | 'metric' | 'reference' | 'created_at'
>

/** Studies whose configurations are kept as they were read. */
const MOST_READ = 16

/** Studies and their trainings in the database. */
export class StudiesRepository {
  /** As they were read last: checking one takes longer than reading it, and a running study is looked at again and again. */
  readonly #read = new Map<string, { readonly text: string; readonly config: StudyConfig }>()

  constructor(
    readonly database: Database,
    readonly paths: StoredPaths,
  ) {}

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  async insert(
    study: NewStudy,
    trainings: readonly StudyTraining[],
    transaction: Transaction<Tables>,
  ): Promise<void> {
    const { study_id } = study
    await transaction
      .insertInto('studies')
      .values({
        ...study,
        status: 'running',
        phase: 'training',
        config: JSON.stringify(withPaths(study.config, (config) => this.paths.toStored(config))),
        digests: JSON.stringify(study.digests),
      })
      .execute()
    for await (const some of batches([...trainings.entries()])) {
      const rows = some.map(([position, { variant, seed, fold, trial }]) => {
        const place = { study_id, position, variant, seed, fold: fold && JSON.stringify(fold), trial }
        return { ...place, job_id: null, due: 1, metrics: null }
      })
      await transaction.insertInto('study_trainings').values(rows).execute()
    }
  }

  async find(studyId: string, connection: Connection = this.database): Promise<StudyRecord | undefined> {
    const row = await connection
      .selectFrom('studies')
      .selectAll()
      .where('study_id', '=', studyId)
      .executeTakeFirst()
    return row && this.#recordOf(row)
  }

  /** Studies that an earlier service left running, oldest first. */
  async running(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('studies')
      .select('study_id')
      .where('status', '=', 'running')
      .orderBy('number')
      .execute()
    return rows.map(({ study_id }) => study_id)
  }

  /** Newest first. */
  async list(size: number, token: string | undefined, status?: StudyStatus): Promise<Page<SummaryRecord>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('studies')
      .select(SUMMARY)
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (status !== undefined) query = query.where('status', '=', status)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(summaryOf) }
  }

  /** Those of these studies that exist, as lists give them. */
  async summaries(studyIds: readonly string[]): Promise<SummaryRecord[]> {
    const found: SummaryRecord[] = []
    for await (const ids of batches(studyIds)) {
      const rows = await this.database
        .selectFrom('studies')
        .select(SUMMARY)
        .where('study_id', 'in', ids)
        .execute()
      found.push(...rows.map(summaryOf))
    }
    return found
  }

  /** Change a study that still has the status `from`. @returns false when it has another by now. */
  async update(
    { study_id, status }: Pick<StudyRecord, 'study_id' | 'status'>,
    changes: Partial<
      Pick<
        StudyRecord,
        'status' | 'phase' | 'message' | 'error' | 'results' | 'report' | 'request' | 'ended_at'
      >
    >,
    connection: Connection = this.database,
  ): Promise<boolean> {
    const { error, results, ...plain } = changes
    const result = await connection
      .updateTable('studies')
      .set({
        ...plain,
        ...(error === undefined ? {} : { error: error && JSON.stringify(error) }),
        ...(results === undefined ? {} : { results: results && JSON.stringify(results) }),
      })
      .where('study_id', '=', study_id)
      .where('status', '=', status)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** Its trainings in their order, with the states of their newest jobs. */
  async trainings(studyId: string, connection: Connection = this.database): Promise<TrainingRecord[]> {
    const rows = await connection
      .selectFrom('study_trainings')
      .leftJoin('jobs', 'jobs.job_id', 'study_trainings.job_id')
      .select([
        'position',
        'variant',
        'seed',
        'fold',
        'study_trainings.job_id',
        'due',
        'study_trainings.metrics',
        'trial',
        'settings',
        'value',
        'pruned_at',
        'refused',
        'jobs.status',
        'jobs.error',
        'jobs.epoch',
        'jobs.total_epochs',
      ])
      .where('study_trainings.study_id', '=', studyId)
      .orderBy('position')
      .execute()
    return rows.map(({ status, error, epoch, total_epochs, refused, ...row }) => ({
      ...row,
      settings: parsed<SearchSettings>(row.settings),
      fold: parsed<Fold>(row.fold),
      due: row.due === 1,
      metrics: parsed<Metrics>(row.metrics),
      status: statusOf({
        job: row.job_id === null ? 'waiting' : ((status as JobStatus | null) ?? 'removed'),
        pruned: row.pruned_at !== null,
        refused: refused !== null,
      }),
      error: refused === null ? withoutTrace(error) : { code: 'INVALID_CONFIG', message: refused },
      done: epoch === null ? 0 : Math.min(1, epoch / Math.max(1, total_epochs ?? 1)),
    }))
  }

  /** Every job of the study, oldest first. */
  async attempts(studyId: string, connection: Connection = this.database): Promise<TrainingAttempt[]> {
    const rows = await connection
      .selectFrom('jobs')
      .select(['job_id', 'study_position', 'status', 'attempt'])
      .where('study_id', '=', studyId)
      .orderBy('number')
      .execute()
    return rows.map(({ study_position, status, ...row }) => ({
      ...row,
      position: study_position ?? 0,
      status: status as JobStatus,
    }))
  }

  /** Trainings of these studies by state. */
  async counts(studyIds: readonly string[]): Promise<Map<string, TrainingCount[]>> {
    const found = new Map<string, TrainingCount[]>(studyIds.map((id) => [id, []]))
    for await (const ids of batches(studyIds)) {
      const rows = await this.database
        .selectFrom('study_trainings')
        .leftJoin('jobs', 'jobs.job_id', 'study_trainings.job_id')
        .select((select) => [
          'study_trainings.study_id',
          'jobs.status',
          'due',
          sql<number>`(study_trainings.job_id IS NULL)`.as('waiting'),
          sql<number>`(trial IS NOT NULL)`.as('trial'),
          sql<number>`(pruned_at IS NOT NULL)`.as('pruned'),
          sql<number>`(refused IS NOT NULL)`.as('refused'),
          select.fn.countAll<number>().as('count'),
          sql<number | null>`sum(jobs.epoch * 1.0 / jobs.total_epochs)`.as('done'),
        ])
        .where('study_trainings.study_id', 'in', ids)
        .groupBy(['study_trainings.study_id', 'jobs.status', 'due', 'waiting', 'trial', 'pruned', 'refused'])
        .execute()
      for (const { study_id, status, due, waiting, trial, pruned, refused, count, done } of rows) {
        const job = waiting ? 'waiting' : ((status as JobStatus | null) ?? 'removed')
        found.get(study_id)?.push({
          status: statusOf({ job, pruned: pruned === 1, refused: refused === 1 }),
          due: due === 1,
          trial: trial === 1,
          count,
          done: done ?? 0,
        })
      }
    }
    return found
  }

  /**
   * From now on this job carries out the training.
   * @returns false when the training has another job by now, or when the study is to stop: the job must not begin.
   */
  async link(
    { study_id, position, job_id }: { study_id: string; position: number; job_id: string },
    transaction: Transaction<Tables>,
  ): Promise<boolean> {
    const study = await transaction
      .selectFrom('studies')
      .select('study_id')
      .where('study_id', '=', study_id)
      .where('status', '=', 'running')
      .where('request', 'is', null)
      .where('error', 'is', null)
      .executeTakeFirst()
    if (!study) return false
    const { numUpdatedRows } = await transaction
      .updateTable('study_trainings')
      .set({ job_id, due: 0, metrics: null, value: null })
      .where('study_id', '=', study_id)
      .where('position', '=', position)
      .where('due', '=', 1)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** What the job of a training measured, or that it is to be trained again; unless it has another job by now. */
  async settle(
    { study_id, position, job_id }: { study_id: string; position: number; job_id: string },
    outcome: {
      readonly metrics?: Metrics
      readonly due?: boolean
      readonly value?: number | null
      readonly pruned_at?: number | null
    },
  ): Promise<void> {
    await this.database
      .updateTable('study_trainings')
      .set({
        ...(outcome.metrics ? { metrics: JSON.stringify(outcome.metrics) } : {}),
        ...(outcome.due === undefined ? {} : { due: outcome.due ? 1 : 0 }),
        ...(outcome.value === undefined ? {} : { value: outcome.value }),
        ...(outcome.pruned_at === undefined ? {} : { pruned_at: outcome.pruned_at }),
      })
      .where('study_id', '=', study_id)
      .where('position', '=', position)
      .where('job_id', '=', job_id)
      .execute()
  }

  /** What a trial tries, durable before it begins; settings that are refused end it. */
  async asked(
    { study_id, position }: { study_id: string; position: number },
    { settings, refused }: { settings: SearchSettings; refused: string | null },
  ): Promise<void> {
    await this.database
      .updateTable('study_trainings')
      .set({ settings: JSON.stringify(settings), refused, ...(refused === null ? {} : { due: 0 }) })
      .where('study_id', '=', study_id)
      .where('position', '=', position)
      .where('settings', 'is', null)
      .execute()
  }

  /** The validation of a trial ends it with this epoch, durable before its job is stopped. */
  async pruned(
    { study_id, position, job_id }: { study_id: string; position: number; job_id: string },
    epoch: number,
  ): Promise<void> {
    await this.database
      .updateTable('study_trainings')
      .set({ pruned_at: epoch })
      .where('study_id', '=', study_id)
      .where('position', '=', position)
      .where('job_id', '=', job_id)
      .where('due', '=', 0)
      .where('metrics', 'is', null)
      .execute()
  }

  /** Every training that is not complete is to be trained again, but for trials that validation ended. */
  async takeUp(studyId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction
      .updateTable('study_trainings')
      .set({ due: 1 })
      .where('study_id', '=', studyId)
      .where('pruned_at', 'is', null)
      .where('refused', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('jobs')
              .select('jobs.job_id')
              .whereRef('jobs.job_id', '=', 'study_trainings.job_id')
              .where('jobs.status', '=', 'completed'),
          ),
        ),
      )
      .execute()
  }

  /** With its trainings; its jobs are removed by themselves. */
  async remove(studyId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('study_trainings').where('study_id', '=', studyId).execute()
    await transaction.deleteFrom('studies').where('study_id', '=', studyId).execute()
  }

  #configOf({ study_id, config: text }: Selectable<StudyRow>): StudyConfig {
    const before = this.#read.get(study_id)
    if (before?.text === text) return before.config
    const config = readStored(withPaths(JSON.parse(text), (one) => this.paths.fromStored(one)))
    const [oldest] = this.#read.keys()
    if (oldest !== undefined && this.#read.size >= MOST_READ) this.#read.delete(oldest)
    this.#read.set(study_id, { text, config })
    return config
  }

  #recordOf(row: Selectable<StudyRow>): StudyRecord {
    return {
      ...row,
      ...summaryOf(row),
      request: row.request as StudyRecord['request'],
      config: this.#configOf(row),
      digests: JSON.parse(row.digests),
      results: parsed(row.results),
    }
  }
}

/** What a list reads. */
const SUMMARY = [
  'number',
  'study_id',
  'name',
  'status',
  'phase',
  'message',
  'error',
  'metric',
  'reference',
  'report',
  'created_at',
  'ended_at',
] as const satisfies readonly (keyof StudyRow)[]

export type SummaryRecord = Pick<StudyRecord, (typeof SUMMARY)[number]>

function summaryOf(row: Pick<Selectable<StudyRow>, (typeof SUMMARY)[number]>): SummaryRecord {
  return {
    ...row,
    status: row.status as StudyRecord['status'],
    phase: row.phase as StudyRecord['phase'],
    error: parsed(row.error),
  }
}

/** The base and the changes of each variant with other paths. */
function withPaths(study: StudyConfig, change: (config: object) => object): StudyConfig {
  return {
    ...study,
    config: change(study.config) as TrainingConfig,
    variants: study.variants.map((variant) => ({
      ...variant,
      config: change(variant.config) as Record<string, unknown>,
    })),
  }
}

/** The state of a training, by its newest job and by what became of a trial. */
function statusOf({
  job,
  pruned,
  refused,
}: {
  job: TrainingRecord['status']
  pruned: boolean
  refused: boolean
}): TrainingRecord['status'] {
  if (refused) return 'failed'
  return pruned && job !== 'started' && job !== 'running' ? 'pruned' : job
}

/** Perhaps of an earlier version: keys that came since keep what was done before. One that is not valid any more is shown as it is. */
function readStored(stored: StudyConfig): StudyConfig {
  const completed = { ...stored, config: withWhatWasDone(stored.config) as TrainingConfig }
  const parsed = StudyConfig.safeParse(completed)
  return parsed.success ? parsed.data : completed
}

function withoutTrace(error: string | null): TrainingRecord['error'] {
  const known = parsed<{ code: string; message: string }>(error)
  return known && { code: known.code, message: known.message }
}
