import { randomUUID } from 'node:crypto'
import {
  estimateInWords,
  foldPlace,
  messageOf,
  networksInWords,
  phrase,
  type Removal,
  type ReportFormat,
  type StudyConfig,
  type StudyPlan,
  type StudyReport,
  type StudyResponse,
  statusPhrase,
  type TimeEstimate,
} from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { Remember } from '../http/idempotency/idempotency.js'
import type { DataFolder } from '../storage/data-folder.js'
import { writeYamlAtomically } from '../storage/files.js'
import { makeFolder } from '../storage/own-folder.js'
import type { ActiveStudies } from './active-studies.js'
import type { StudiesRepository } from './studies.repository.js'
import { studyFolder } from './study-folder.js'
import { studyPhase } from './study-phase.js'
import { planStudy, type StudyPlannerOptions } from './study-plan.js'
import type { StudyReader } from './study-reader.js'
import { studyTransition } from './study-record.js'
import type { StudyReports } from './study-reports.js'
import { studyTime } from './study-time.js'
import type { TableDigests } from './table-digests.js'

export interface StudiesServiceOptions {
  readonly repository: StudiesRepository
  readonly reader: StudyReader
  readonly planner: StudyPlannerOptions
  readonly digests: TableDigests
  readonly active: ActiveStudies
  readonly reports: StudyReports
  readonly folder: Pick<DataFolder, 'study'>
  readonly places: () => Promise<number>
  readonly remove: (studyId: string, dryRun: boolean) => Promise<Removal>
}

/** For the end of a sentence; empty if no comparable training exists. */
function withTime(time: TimeEstimate): string {
  const words = estimateInWords(time)
  return words === null ? '' : `; ${words}`
}

/** The operations on studies. Each responds only after its change is durable. */
export class StudiesService {
  constructor(private readonly options: StudiesServiceOptions) {}

  /** The trainings that a study would have. @throws AppError like `planStudy`. */
  async check(given: StudyConfig, signal: AbortSignal): Promise<StudyPlan> {
    const { planner, places } = this.options
    const study = await planStudy(given, planner, signal)
    const { config, metric, reference, trainings, networks } = study
    const parallel = config.parallel ?? (await places())
    return {
      num_trainings: trainings.length,
      num_networks: networks,
      metric,
      reference,
      parallel,
      time: await studyTime(study, parallel, planner.trainings),
      trainings: trainings.map(({ variant, seed, fold, trial }) => ({
        ...{ variant, seed, ...foldPlace(fold), trial },
      })),
    }
  }

  /** @throws AppError like `planStudy`: then nothing is accepted. */
  async start(
    given: StudyConfig,
    owner: string | null,
    remember: Remember,
    signal: AbortSignal,
  ): Promise<StudyResponse> {
    const { repository, planner, digests, folder, active, places } = this.options
    const study = await planStudy(given, planner, signal)
    const { config, metric, reference, trainings, networks } = study
    const time = await studyTime(study, config.parallel ?? (await places()), planner.trainings)
    const study_id = randomUUID()
    const files = studyFolder(folder.study(study_id))
    const answer: StudyResponse = {
      study_id,
      status: 'running',
      message: `The study was accepted: ${trainings.length} ${trainings.length === 1 ? 'training' : 'trainings'} of ${networksInWords(networks)} in all${withTime(time)}.`,
    }
    const read = await digests.compute(config.config)
    await makeFolder(files.reports)
    await writeYamlAtomically(files.config, config)
    await repository.transaction(async (transaction) => {
      const { name } = config
      const created_at = new Date().toISOString()
      const study = { study_id, name, ...messageOf(studyPhase('training')), config, digests: read }
      await repository.insert({ ...study, metric, reference, owner, created_at }, trainings, transaction)
      await remember(transaction, answer)
    })
    active.start(study_id)
    return answer
  }

  /** Responds once every running training has saved its checkpoint. @throws AppError STUDY_NOT_FOUND, STUDY_NOT_RUNNING. */
  async stop(studyId: string): Promise<StudyResponse> {
    const { repository, reader, active } = this.options
    const { status } = await reader.find(studyId)
    const isAccepted =
      status === 'running' && (await repository.update({ study_id: studyId, status }, { request: 'stop' }))
    if (!isAccepted) {
      const now = await reader.find(studyId)
      throw new AppError(
        'STUDY_NOT_RUNNING',
        phrase('study_is_already', { status: statusPhrase(now.status) }),
      )
    }
    const run = active.get(studyId)
    run?.wake()
    await run?.ended
    const ended = await reader.find(studyId)
    const message =
      ended.status === 'running'
        ? 'The request to stop is stored and will be carried out when the service restarts.'
        : ended.message
    return { study_id: studyId, status: ended.status, message }
  }

  /**
   * Train the incomplete trainings: from the last checkpoints, or from the start if there is none. Complete ones are kept.
   * @throws AppError STUDY_NOT_FOUND, STUDY_NOT_RESUMABLE, STUDY_RUNNING, STUDY_DATA_CHANGED.
   */
  async resume(studyId: string, remember: Remember): Promise<StudyResponse> {
    const { repository, reader, digests, active } = this.options
    const study = await reader.find(studyId)
    if (study.status === 'running') throw new AppError('STUDY_RUNNING', phrase('study_is_running'))
    if (study.status === 'completed') throw new AppError('STUDY_NOT_RESUMABLE', phrase('study_is_completed'))
    const wrong = await digests.changed(study)
    if (wrong) throw wrong
    // Its last run stores the end before it releases the study.
    await active.get(studyId)?.ended
    const answer: StudyResponse = {
      study_id: studyId,
      status: 'running',
      message: 'The study continues with the trainings that are not completed.',
    }
    await repository.transaction(async (transaction) => {
      const changes = {
        ...studyTransition(study.status, 'running'),
        ...({
          phase: 'training',
          request: null,
          error: null,
          results: null,
          report: null,
          ended_at: null,
        } as const),
        ...messageOf(studyPhase('training')),
      }
      if (!(await repository.update(study, changes, transaction)))
        throw new AppError('STUDY_RUNNING', phrase('study_is_running'))
      await repository.trainings.takeUp(studyId, transaction)
      await remember(transaction, answer)
    })
    active.start(studyId)
    return answer
  }

  /** @throws AppError STUDY_NOT_FOUND, STUDY_RUNNING, STUDY_IN_USE. */
  remove(studyId: string, dryRun: boolean): Promise<Removal> {
    return this.options.remove(studyId, dryRun)
  }

  /** Write the report again. @throws AppError STUDY_NOT_FOUND, STUDY_NO_RESULTS. */
  async report(studyId: string, formats: readonly ReportFormat[]): Promise<StudyReport> {
    const { reader, reports } = this.options
    return { study_id: studyId, files: await reports.write(await reader.status(studyId), formats) }
  }
}
