import {
  type Fold,
  fieldsOf,
  type Job,
  type JobStatus,
  type Metrics,
  type Phrase,
  type SearchSettings,
  type StudyTraining,
  type Text,
} from '@medloom/contracts'
import { sql, type Transaction } from 'kysely'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import { parsed } from '../database/parsed.js'
import type { Tables } from '../database/schema.js'
import type { TrainingCount } from './study-progress.js'
import type { TrainingAttempt, TrainingRecord } from './study-record.js'

/** The trainings of studies in the database, and their jobs. */
export class StudyTrainingsRepository {
  constructor(private readonly database: Database) {}

  async insert(
    study_id: string,
    trainings: readonly StudyTraining[],
    transaction: Transaction<Tables>,
  ): Promise<void> {
    for await (const some of batches([...trainings.entries()])) {
      const rows = some.map(([position, { variant, seed, fold, trial }]) => {
        const place = { study_id, position, variant, seed, fold: fold && JSON.stringify(fold), trial }
        return { ...place, job_id: null, due: 1, metrics: null }
      })
      await transaction.insertInto('study_trainings').values(rows).execute()
    }
  }

  /** Trainings of a study in their order, with the states of their newest jobs. */
  async list(studyId: string, connection: Connection = this.database): Promise<TrainingRecord[]> {
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
        'refused_phrases',
        'jobs.status',
        'jobs.error',
        'jobs.epoch',
        'jobs.total_epochs',
      ])
      .where('study_trainings.study_id', '=', studyId)
      .orderBy('position')
      .execute()
    return rows.map(({ status, error, epoch, total_epochs, refused, refused_phrases, ...row }) => ({
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
      error: refused === null ? withoutTrace(error) : refusal(refused, refused_phrases),
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
          sql<number>`(trial IS NOT NULL)`.as('is_trial'),
          sql<number>`(pruned_at IS NOT NULL)`.as('is_pruned'),
          sql<number>`(refused IS NOT NULL)`.as('is_refused'),
          select.fn.countAll<number>().as('count'),
          sql<number | null>`sum(jobs.epoch * 1.0 / nullif(jobs.total_epochs, 0))`.as('done'),
        ])
        .where('study_trainings.study_id', 'in', ids)
        .groupBy([
          'study_trainings.study_id',
          'jobs.status',
          'due',
          'waiting',
          'is_trial',
          'is_pruned',
          'is_refused',
        ])
        .execute()
      for (const { study_id, status, due, waiting, count, done, ...is } of rows) {
        const job = waiting ? 'waiting' : ((status as JobStatus | null) ?? 'removed')
        found.get(study_id)?.push({
          status: statusOf({ job, pruned: is.is_pruned === 1, refused: is.is_refused === 1 }),
          due: due === 1,
          trial: is.is_trial === 1,
          count,
          done: done ?? 0,
        })
      }
    }
    return found
  }

  /**
   * Make this job the job of the training.
   * @returns false when the training has another job by now, or when the study is to stop: then the job must not start.
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

  /** Store the metrics of a training's job, or that the training has to be repeated, unless it has another job by now. */
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

  /** Store the settings of a trial, durable before it starts; refused settings end the trial. */
  async storeSettings(
    { study_id, position }: { study_id: string; position: number },
    { settings, refused }: { settings: SearchSettings; refused: Text | null },
  ): Promise<void> {
    await this.database
      .updateTable('study_trainings')
      .set({ settings: JSON.stringify(settings), ...(refused === null ? {} : endedBy(refused)) })
      .where('study_id', '=', study_id)
      .where('position', '=', position)
      .where('settings', 'is', null)
      .execute()
  }

  /** Store the epoch at which validation ends a trial, durable before its job is stopped. */
  async storePruning(
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

  /** Mark every incomplete training to be trained again, except pruned trials. */
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

  async remove(studyId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('study_trainings').where('study_id', '=', studyId).execute()
  }
}

/** The state of a training, from its newest job and from the state of its trial. */
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

/** Columns of a trial whose settings were refused. */
function endedBy({ english, phrases }: Text) {
  return { refused: english, refused_phrases: phrases ? JSON.stringify(phrases) : null, due: 0 }
}

function refusal(english: string, phrases: string | null): TrainingRecord['error'] {
  const text = { english, phrases: parsed<Phrase[]>(phrases) ?? undefined }
  return { code: 'INVALID_CONFIG', ...fieldsOf('message', text) }
}

function withoutTrace(error: string | null): TrainingRecord['error'] {
  const known = parsed<NonNullable<Job['error']>>(error)
  if (!known) return null
  const { trace: _, ...shown } = known
  return shown
}
