import { phrase, type Removal } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import type { ModelsRepository } from '../models/models.repository.js'
import type { RemovalPlan, Removals } from '../removal/removals.js'
import { activeRunUsing, unfinishedContinuation } from '../removal/uses.repository.js'
import type { DataFolder } from '../storage/data-folder.js'
import type { TrainingRepository } from '../training/training.repository.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyReader } from './study-reader.js'

export interface StudyRemovalOptions {
  readonly repository: StudiesRepository
  readonly reader: StudyReader
  readonly jobs: Pick<TrainingRepository, 'find' | 'remove'>
  readonly models: Pick<ModelsRepository, 'remove'>
  readonly folder: Pick<DataFolder, 'run' | 'study'>
  readonly removals: Removals
}

/**
 * Remove an ended study with its jobs and their models.
 * @throws AppError STUDY_NOT_FOUND, STUDY_RUNNING, STUDY_IN_USE.
 */
export function studyRemoval(options: StudyRemovalOptions) {
  const { removals, repository, jobs, models } = options
  return (studyId: string, dryRun: boolean): Promise<Removal> =>
    removals.remove(
      dryRun,
      (transaction) => planOf(options, studyId, transaction),
      async (transaction) => {
        for (const { job_id } of await repository.trainings.attempts(studyId, transaction)) {
          const model = (await jobs.find(job_id, transaction))?.model_id
          if (model) await models.remove(model, transaction)
          await jobs.remove(job_id, transaction)
        }
        await repository.remove(studyId, transaction)
      },
    )
}

async function planOf(
  { repository, reader, jobs, folder }: StudyRemovalOptions,
  studyId: string,
  transaction: Transaction<Tables>,
): Promise<RemovalPlan> {
  const study = await reader.find(studyId, transaction)
  if (study.status === 'running') throw new AppError('STUDY_RUNNING', phrase('study_is_running'))
  const attempts = await repository.trainings.attempts(studyId, transaction)
  let models = 0
  for (const { job_id } of attempts) {
    const job = await jobs.find(job_id, transaction)
    if (job?.handle)
      throw new AppError(
        'STUDY_RUNNING',
        phrase('trainer_has_not_ended', { job: job_id }),
        phrase('again_in_seconds'),
      )
    if (job?.model_id) models += 1
    await requireUnused(transaction, job_id)
  }
  return {
    id: studyId,
    folders: [folder.study(studyId), ...attempts.map(({ job_id }) => folder.run(job_id).path)],
    lost: [
      phrase('lost_study', { study: study.name }),
      phrase('lost_jobs', { count: attempts.length }),
      phrase('lost_models', { count: models }),
    ],
  }
}

async function requireUnused(transaction: Transaction<Tables>, jobId: string): Promise<void> {
  const continued = await unfinishedContinuation(transaction, jobId)
  if (continued)
    throw new AppError('STUDY_IN_USE', phrase('job_continues_from_job', { job: continued, source: jobId }))
  const run = await activeRunUsing(transaction, jobId)
  if (run)
    throw new AppError(
      'STUDY_IN_USE',
      phrase('run_uses_job', { run: run.run_id, workflow: run.workflow_id, job: jobId }),
    )
}
