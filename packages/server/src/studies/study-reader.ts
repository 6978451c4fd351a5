import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  foldPlace,
  type Study,
  type StudyJob,
  type StudyProgress,
  type StudyStatus,
  type StudySummary,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import type { DataFolder } from '../storage/data-folder.js'
import { interimResults } from './interim.js'
import { searchStatus } from './search/search-status.js'
import type { StudiesRepository, SummaryRecord } from './studies.repository.js'
import { studyFolder } from './study-folder.js'
import { progressOf } from './study-progress.js'
import type { StudyRecord, TrainingAttempt, TrainingRecord } from './study-record.js'

/** What is known of studies. @throws AppError STUDY_NOT_FOUND for an unknown study. */
export class StudyReader {
  constructor(
    private readonly repository: StudiesRepository,
    private readonly folder: Pick<DataFolder, 'study'>,
  ) {}

  async find(studyId: string, connection?: Transaction<Tables>): Promise<StudyRecord> {
    const study = await this.repository.find(studyId, connection)
    if (!study) throw new AppError('STUDY_NOT_FOUND', 'there is no study with this id')
    return study
  }

  async status(studyId: string): Promise<Study> {
    const study = await this.find(studyId)
    const trainings = await this.repository.trainings(studyId)
    const { results } = studyFolder(this.folder.study(studyId))
    return {
      ...this.#summaryOf(study, progressOfTrainings(trainings)),
      variants: study.results?.variants ?? interimResults(study.config, trainings),
      comparisons: study.results?.comparisons ?? [],
      search: searchStatus(study.config, trainings, study.metric),
      jobs: jobsOf(trainings, await this.repository.attempts(studyId)),
      results_path: study.results && (await exists(results)) ? results : null,
      config: study.config,
    }
  }

  async list(
    size: number,
    token: string | undefined,
    status?: StudyStatus,
  ): Promise<{ studies: StudySummary[]; next_page_token: string | null }> {
    const { items, next_page_token } = await this.repository.list(size, token, status)
    const counts = await this.repository.counts(items.map(({ study_id }) => study_id))
    const studies = items.map((study) => this.#summaryOf(study, progressOf(counts.get(study.study_id) ?? [])))
    return { studies, next_page_token }
  }

  /** Those of these studies that exist. */
  async summaries(studyIds: readonly string[]): Promise<StudySummary[]> {
    const studies = await this.repository.summaries(studyIds)
    const counts = await this.repository.counts(studies.map(({ study_id }) => study_id))
    return studies.map((study) => this.#summaryOf(study, progressOf(counts.get(study.study_id) ?? [])))
  }

  #summaryOf(study: SummaryRecord, progress: StudyProgress): StudySummary {
    const { study_id, name, status, phase, metric, reference, message, error, created_at, ended_at } = study
    const report_path = study.report && join(this.folder.study(study_id), study.report)
    return {
      ...{ study_id, name, status, phase, progress, metric, reference, report_path },
      ...{ message, error, created_at, ended_at },
    }
  }
}

export function progressOfTrainings(trainings: readonly TrainingRecord[]): StudyProgress {
  return progressOf(
    trainings.map(({ status, due, trial, done }) => ({ status, due, trial: trial !== null, count: 1, done })),
  )
}

/** The trainings as the status shows them, in their order. */
export function jobsOf(
  trainings: readonly TrainingRecord[],
  attempts: readonly TrainingAttempt[],
): StudyJob[] {
  const of = new Map<number, StudyJob['attempts']>(trainings.map(({ position }) => [position, []]))
  for (const { position, ...attempt } of attempts) of.get(position)?.push(attempt)
  return trainings.map(
    ({ position, job_id, variant, seed, fold, trial, settings, value, status, error }) => ({
      ...{ job_id, variant, seed, ...foldPlace(fold), trial, settings, value, status, error },
      attempts: of.get(position) ?? [],
    }),
  )
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
