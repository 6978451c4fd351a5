import { counted, phrase } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.js'
import { measuredTrainings, searchCells } from './search/trials.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyEvents } from './study-events.js'
import type { ReportPhase } from './study-phase.js'
import type { StudyReader } from './study-reader.js'
import { isComplete, type StudyRecord, studyTransition, type TrainingRecord } from './study-record.js'
import type { StudyReports } from './study-reports.js'
import type { StudyResultsWriter } from './study-results.js'
import { endOf } from './study-socket.js'

export interface StudyFinishOptions {
  readonly repository: StudiesRepository
  readonly reader: StudyReader
  readonly events: StudyEvents
  readonly results: StudyResultsWriter
  readonly reports: StudyReports
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

type Ending = Pick<StudyRecord, 'status' | 'message' | 'error'>

/** The end of a study: its results over the complete trainings, its report, and its last status. */
export class StudyFinish {
  constructor(private readonly options: StudyFinishOptions) {}

  /** @param signal aborted when the service closes: the next service ends the study. */
  async finish(studyId: string, phase: ReportPhase, signal: AbortSignal): Promise<void> {
    const { repository, results, log } = this.options
    const study = await repository.find(studyId)
    if (study?.status !== 'running') return
    const trainings = await repository.trainings.list(studyId)
    let ending = endingOf(study, trainings)
    if (ending.status !== 'stopped' && measuredTrainings(study.config, trainings).length > 0) {
      try {
        await results.write(study, trainings, phase, signal)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error, study_id: studyId }, 'the results of a study could not be computed')
        ending = withoutResults(ending, error)
      }
    }
    if (signal.aborted) return
    await this.#report(study, phase, signal)
    if (signal.aborted) return
    await this.#end(study, ending)
  }

  /** A report that cannot be written does not fail the study. */
  async #report({ study_id }: StudyRecord, phase: ReportPhase, signal: AbortSignal): Promise<void> {
    const { repository, reader, reports, log } = this.options
    const study = await repository.find(study_id)
    if (!study?.results) return
    await phase('report')
    try {
      await reports.write(await reader.status(study_id), ['html', 'markdown', 'pdf'])
      await repository.update(study, { report: reports.page })
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, study_id }, 'the report of a study could not be written')
    }
  }

  async #end(study: StudyRecord, { status, message, error }: Ending): Promise<void> {
    const { repository, events, reader } = this.options
    const { study_id } = study
    await repository.update(study, {
      ...studyTransition(study.status, status),
      ...{ phase: null, message, error, request: null, ended_at: new Date().toISOString() },
    })
    const last = endOf(await reader.status(study_id))
    if (last) events.publish(last)
  }
}

/** Final status of a study whose trainings have ended. */
function endingOf(study: StudyRecord, trainings: readonly TrainingRecord[]): Ending {
  const total = trainings.length
  const complete = trainings.filter(isComplete).length
  const cells = searchCells(study.config, trainings)
  const rest = trainings.filter((training) => training.trial === null && !isComplete(training))
  if (rest.length === 0 && cells.every(({ ended, best }) => ended && best))
    return { status: 'completed', message: allEnded(trainings), error: null }
  const progress = `${complete} of ${counted(total, 'training')} completed`
  if (study.request === 'stop') return { status: 'stopped', message: `Stopped: ${progress}.`, error: null }
  if (study.error)
    return { status: 'failed', message: `${study.error.message}; ${progress}.`, error: study.error }
  return failed(trainings, cells.filter(({ ended, best }) => ended && !best).length)
}

function allEnded(trainings: readonly TrainingRecord[]): string {
  const countOf = (status: string) => trainings.filter((training) => training.status === status).length
  const others = (['pruned', 'failed'] as const).flatMap((status) =>
    countOf(status) > 0 ? [`${countOf(status)} ${status}`] : [],
  )
  if (others.length === 0) return `All ${counted(trainings.length, 'training')} completed.`
  return `All ${counted(trainings.length, 'training')} ended: ${[`${countOf('completed')} completed`, ...others].join(', ')}.`
}

/** @param unchosen number of seeds and folds on which no trial has a value. */
function failed(trainings: readonly TrainingRecord[], unchosen: number): Ending {
  const wrong = trainings.filter((training) => !isComplete(training))
  const words = (['failed', 'stopped', 'removed'] as const).flatMap((status) => {
    const count = wrong.filter((training) => training.status === status).length
    return count === 0 ? [] : [{ status, count }]
  })
  const what = words
    .map(({ status, count }, index) =>
      index === 0 ? `${count} of ${counted(trainings.length, 'training')} ${status}` : `${count} ${status}`,
    )
    .join(', ')
  const first = wrong.find(({ error }) => error)?.error
  const chosen =
    unchosen === 0 ? [] : [`the search has no completed trial for ${unchosen} of its seeds and folds`]
  const text = [...(what === '' ? [] : [what]), ...chosen].join('; ')
  const message = first ? `${text}; first error: ${first.message} [${first.code}]` : text
  return { status: 'failed', message, error: { code: 'STUDY_INCOMPLETE', message } }
}

/** The trainings are kept: a resumed study computes its results again. */
function withoutResults(ending: Ending, error: unknown): Ending {
  const known =
    error instanceof AppError ? error : new AppError('TRAINER_FAILED', phrase('results_not_computed'))
  if (ending.error) return ending
  const message = `${ending.message} Their results could not be computed: ${known.message}`
  return { status: 'failed', message, error: { code: known.code, message } }
}
