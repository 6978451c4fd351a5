import { access, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import {
  foldPlace,
  phrase,
  type ReportFormat,
  type Study,
  type StudyJob,
  type StudyProgress,
  StudyResults,
  type StudySummary,
  statusPhrase,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { openJobFile } from '../files/job-files.js'
import type { Bytes } from '../http/bind.js'
import type { DataFolder } from '../storage/data-folder.js'
import { systemFault } from '../system-fault.js'
import { interimResults } from './interim.js'
import { searchStatus } from './search/search-status.js'
import type { StudiesRepository, StudyFilter, SummaryRecord } from './studies.repository.js'
import { studyFolder } from './study-folder.js'
import { progressOf } from './study-progress.js'
import type { StudyRecord, TrainingAttempt, TrainingRecord } from './study-record.js'

/** Reads studies. @throws AppError STUDY_NOT_FOUND for an unknown study. */
export class StudyReader {
  constructor(
    private readonly repository: StudiesRepository,
    private readonly folder: Pick<DataFolder, 'study'>,
  ) {}

  async find(studyId: string, connection?: Transaction<Tables>): Promise<StudyRecord> {
    const study = await this.repository.find(studyId, connection)
    if (!study) throw new AppError('STUDY_NOT_FOUND', phrase('study_unknown'))
    return study
  }

  async status(studyId: string): Promise<Study> {
    const study = await this.find(studyId)
    const trainings = await this.repository.trainings.list(studyId)
    const { results } = studyFolder(this.folder.study(studyId))
    return {
      ...this.#summaryOf(study, progressOfTrainings(trainings)),
      variants: study.results?.variants ?? interimResults(study.config, trainings),
      comparisons: study.results?.comparisons ?? [],
      search: searchStatus(study.config, trainings, study.metric),
      jobs: jobsOf(trainings, await this.repository.trainings.attempts(studyId)),
      results_path: study.results && (await exists(results)) ? results : null,
      config: study.config,
    }
  }

  /** Content of results.json. @throws AppError STUDY_NO_RESULTS */
  async results(studyId: string): Promise<StudyResults> {
    const study = await this.find(studyId)
    if (!study.results)
      throw new AppError(
        'STUDY_NO_RESULTS',
        phrase('study_without_results', { status: statusPhrase(study.status) }),
      )
    try {
      const { results } = studyFolder(this.folder.study(studyId))
      return StudyResults.parse(JSON.parse(await readFile(results, 'utf8')))
    } catch (error) {
      const fault = systemFault(error)
      if (fault) throw fault
      throw new AppError('STUDY_NO_RESULTS', phrase('study_results_unreadable'), phrase('resume_study'))
    }
  }

  /** @throws AppError RUN_FILE_NOT_FOUND if the report was not written in this format. */
  async report(studyId: string, format: ReportFormat): Promise<Bytes> {
    await this.find(studyId)
    const files = studyFolder(this.folder.study(studyId))
    const path = relative(files.path, files.report(format)).split(sep).join('/')
    return openJobFile(files.path, path, { checkpoints: false, download: false })
  }

  async list(
    size: number,
    token: string | undefined,
    filter: StudyFilter,
  ): Promise<{ studies: StudySummary[]; next_page_token: string | null }> {
    const { items, next_page_token } = await this.repository.list(size, token, filter)
    const counts = await this.repository.trainings.counts(items.map(({ study_id }) => study_id))
    const studies = items.map((study) => this.#summaryOf(study, progressOf(counts.get(study.study_id) ?? [])))
    return { studies, next_page_token }
  }

  /** The existing ones of these studies. */
  async summaries(studyIds: readonly string[]): Promise<StudySummary[]> {
    const studies = await this.repository.summaries(studyIds)
    const counts = await this.repository.trainings.counts(studies.map(({ study_id }) => study_id))
    return studies.map((study) => this.#summaryOf(study, progressOf(counts.get(study.study_id) ?? [])))
  }

  #summaryOf(study: SummaryRecord, progress: StudyProgress): StudySummary {
    const { study_id, name, status, phase, metric, reference, owner, created_at, ended_at } = study
    const { message, message_phrases, error } = study
    const report_path = study.report && join(this.folder.study(study_id), study.report)
    return {
      ...{ study_id, name, status, phase, progress, metric, reference, report_path },
      ...{ message, message_phrases, error, owner, created_at, ended_at },
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
  const byPosition = new Map<number, StudyJob['attempts']>(trainings.map(({ position }) => [position, []]))
  for (const { position, ...attempt } of attempts) byPosition.get(position)?.push(attempt)
  return trainings.map(
    ({ position, job_id, variant, seed, fold, trial, settings, value, status, error }) => ({
      ...{ job_id, variant, seed, ...foldPlace(fold), trial, settings, value, status, error },
      attempts: byPosition.get(position) ?? [],
    }),
  )
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
