import { fieldsOf } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { measuredTrainings } from './search/trials.js'
import type { StudiesRepository } from './studies.repository.js'
import { type Ending, endingOf, withoutResults } from './study-ending.js'
import type { StudyEvents } from './study-events.js'
import type { ReportPhase } from './study-phase.js'
import type { StudyReader } from './study-reader.js'
import { type StudyRecord, studyTransition } from './study-record.js'
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

  async #end(study: StudyRecord, { status, text, error }: Ending): Promise<void> {
    const { repository, events, reader } = this.options
    const { study_id } = study
    await repository.update(study, {
      ...studyTransition(study.status, status),
      ...{
        phase: null,
        ...fieldsOf('message', text),
        error,
        request: null,
        ended_at: new Date().toISOString(),
      },
    })
    const last = endOf(await reader.status(study_id))
    if (last) events.publish(last)
  }
}
