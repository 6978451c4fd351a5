import { type FoldPlace, foldPlace, trainingOfStudy } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { isComplete } from '../storage/checkpoints.js'
import type { DataFolder } from '../storage/data-folder.js'
import { MACHINE_FAULTS } from '../system-fault.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyRecord, TrainingRecord } from './study-record.js'

/** The training must not start: the study is to stop, or the training already has a job. */
class NotWanted extends Error {}

export interface StudyTrainingsOptions {
  readonly repository: StudiesRepository
  readonly trainings: TrainingGateway
  readonly folder: Pick<DataFolder, 'run'>
}

/**
 * Start a training that is due as an ordinary job: the job and the row that links it are created in one transaction. A training that was
 * started before continues from its last checkpoint, or starts from the beginning if it left no complete one.
 * @returns the job; null when the training is not wanted any more.
 * @throws AppError like the start of a job.
 */
export async function startTraining(
  study: StudyRecord,
  training: TrainingRecord,
  options: StudyTrainingsOptions,
): Promise<string | null> {
  const { repository, trainings } = options
  const { study_id, owner } = study
  const { position } = training
  const place = { study_id, study_position: position }
  const link = async (transaction: Transaction<Tables>, job_id: string) => {
    if (!(await repository.trainings.link({ study_id, position, job_id }, transaction))) throw new NotWanted()
  }
  try {
    if (training.job_id !== null && (await canContinue(training, options)))
      return await trainings.resume(training.job_id, link, { owner, ...place })
    const config = trainingOfStudy(study.config, training, training.settings)
    return await trainings.start({ config, job_name: nameOf(study, training), owner, ...place }, link)
  } catch (error) {
    if (error instanceof NotWanted) return null
    throw error
  }
}

/** A training that failed by itself would fail again at the same point, so it starts from the beginning. */
async function canContinue(
  { job_id, status, error }: TrainingRecord,
  { folder }: StudyTrainingsOptions,
): Promise<boolean> {
  if (job_id === null || (status !== 'stopped' && status !== 'failed')) return false
  if (status === 'failed' && !isInterruption(error?.code)) return false
  return isComplete(folder.run(job_id).checkpoint('last'))
}

/** Returns true if neither the data nor the settings of a job caused its end. */
export function isInterruption(code: string | undefined): boolean {
  return code === 'WORKER_LOST' || (code !== undefined && MACHINE_FAULTS.has(code))
}

/** `<study>/<variant>/<repeat>.<fold>/<seed>`, without folds if there are none; for a trial, its number follows the name of the search. */
function nameOf({ name }: StudyRecord, { variant, seed, fold, trial }: TrainingRecord): string {
  const places = [
    name,
    trial === null ? variant : `${variant} ${trial}`,
    foldName(foldPlace(fold)),
    String(seed),
  ]
  return places
    .filter((part) => part !== null)
    .join('/')
    .slice(0, 200)
}

function foldName({ repeat, fold }: FoldPlace): string | null {
  if (fold === null) return null
  return repeat === null ? String(fold) : `${repeat}.${fold}`
}
