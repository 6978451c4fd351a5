import type { StudyPhase } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.js'
import type { DataFolder } from '../storage/data-folder.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { metricsIn, resultFile } from './held-out-metrics.js'
import { Pruning } from './search/pruning.js'
import type { Searches } from './search/searches.js'
import { isReady, searchCells } from './search/trials.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyEvents } from './study-events.js'
import type { StudyFinish } from './study-finish.js'
import { StudyNotices } from './study-notices.js'
import { phaseInWords } from './study-phase.js'
import { isActive, type StudyRecord, type TrainingRecord } from './study-record.js'
import { isInterruption, startTraining } from './study-trainings.js'
import type { TableDigests } from './table-digests.js'

export interface StudyRunOptions {
  readonly repository: StudiesRepository
  readonly trainings: TrainingGateway
  readonly folder: Pick<DataFolder, 'run' | 'study'>
  readonly digests: TableDigests
  readonly searches: Searches
  readonly events: StudyEvents
  readonly finish: StudyFinish
  /** Jobs that the machine has places for. */
  readonly places: () => Promise<number>
  readonly log: FastifyBaseLogger
  /** How long a study waits before it tries again what the machine refused; for tests. */
  readonly retryMilliseconds?: number | undefined
}

/** A training whose trainer was lost is taken up by itself that often. */
const MAX_JOBS = 20
const RETRY_MILLISECONDS = 5000
/** The machine refuses now what it may take later. */
const TRANSIENT = ['QUEUE_FULL', 'DISK_FULL', 'STORAGE_FAILED']

/**
 * A running study: keeps its trainings going until none is left, then has its results computed. Everything that it knows stands in the
 * database, so the next service goes on where this one ended.
 */
export class StudyRun {
  /** Resolves when the end is durable and published, or when the service ends first. */
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #wake: () => void = () => undefined
  #awake = false
  #retry: NodeJS.Timeout | undefined
  readonly #following = new Map<string, AbortController>()
  /** Jobs that had read the tables while these were what the study was started with. */
  readonly #prepared = new Set<string>()
  readonly #stopping = new Set<string>()
  readonly #notices: StudyNotices
  readonly #closing = new AbortController()
  readonly #pruning: Pruning

  constructor(
    readonly studyId: string,
    private readonly options: StudyRunOptions,
  ) {
    this.ended = new Promise((done) => {
      this.#end = done
    })
    this.#notices = new StudyNotices(studyId, options)
    const onPruned = () => this.wake()
    this.#pruning = new Pruning(studyId, { ...options, onPruned }, this.#closing.signal)
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { log } = this.options
    while (!this.#detached)
      try {
        await this.#carryOut()
        break
      } catch (error) {
        if (this.#detached) break
        // A full disk, for example: what is stored is sound, so it goes on from there.
        log.error({ err: error, study_id: this.studyId }, 'a study was interrupted; it is tried again')
        this.#awake = false
        this.#again()
        await this.#woken()
      }
    this.detach()
  }

  async #carryOut(): Promise<void> {
    while (!this.#detached && !(await this.#step())) await this.#woken()
    await this.#notices.flush()
    if (this.#detached) return
    await this.options.finish.of(
      this.studyId,
      (phase, detail) => this.#phase(phase, detail),
      this.#closing.signal,
    )
  }

  /** Look again: a stop was asked for, or a training has ended. */
  wake(): void {
    this.#awake = true
    this.#wake()
  }

  /** Trainings go on; the next service follows them. */
  detach(): void {
    this.#closing.abort()
    clearTimeout(this.#retry)
    this.#notices.close()
    for (const following of this.#following.values()) following.abort()
    this.#end()
    this.wake()
  }

  get #detached(): boolean {
    return this.#closing.signal.aborted
  }

  /** @returns whether nothing is left to train. */
  async #step(): Promise<boolean> {
    const { repository } = this.options
    this.#awake = false
    const study = await repository.find(this.studyId)
    if (study?.status !== 'running') return true
    const trainings = await repository.trainings(this.studyId)
    if (await this.#settle(study, trainings)) return this.#lookAgain()
    const active = trainings.filter(isActive)
    for (const training of active) this.#follow(training)
    this.#stop(study.request === 'stop' ? active : active.filter(({ pruned_at }) => pruned_at !== null))
    if (study.request === 'stop' || study.error) return active.length === 0
    const cells = searchCells(study.config, trainings)
    const due = trainings.filter(
      (training) => training.due && !isActive(training) && isReady(study.config, cells, training),
    )
    if (due.length === 0) return active.length === 0
    await this.#start(study, due, active.length)
    return false
  }

  #lookAgain(): false {
    this.#awake = true
    return false
  }

  /** As many as there is room for; one waits in the queue, so that no place stays empty between two trainings. */
  async #start(study: StudyRecord, due: readonly TrainingRecord[], active: number): Promise<void> {
    const limit = study.config.parallel ?? (await this.options.places()) + 1
    for (const training of due.slice(0, Math.max(0, limit - active))) {
      if (this.#detached) return
      const wrong = await this.options.digests.changed(study)
      if (wrong) return this.#fail(study, wrong)
      try {
        const settings = await this.#settingsOf(study, training)
        if (training.trial !== null && settings === null) {
          this.#notices.changed(training.position)
          return this.wake()
        }
        const job_id = await startTraining(study, { ...training, settings }, this.options)
        if (job_id === null) return this.wake()
        this.#follow({ ...training, job_id })
        this.#notices.changed(training.position)
      } catch (error) {
        if (this.#detached) return
        if (!(error instanceof AppError)) throw error
        if (TRANSIENT.includes(error.code)) return this.#again()
        return this.#fail(study, error)
      }
    }
  }

  /** Null for a variant that was named, and for a trial that is not to be trained. */
  async #settingsOf(study: StudyRecord, training: TrainingRecord): Promise<TrainingRecord['settings']> {
    if (training.trial === null) return null
    return this.options.searches.settingsOf(study, training, this.#closing.signal)
  }

  /** No training begins any more; those that run end by themselves. */
  async #fail(study: StudyRecord, { code, message }: AppError): Promise<void> {
    await this.options.repository.update(study, { error: { code, message }, message })
    this.wake()
  }

  #again(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.wake(), this.options.retryMilliseconds ?? RETRY_MILLISECONDS)
    this.#retry.unref()
  }

  #stop(active: readonly TrainingRecord[]): void {
    for (const { job_id } of active) {
      if (job_id === null || this.#stopping.has(job_id)) continue
      this.#stopping.add(job_id)
      this.options.trainings
        .stop(job_id)
        .catch((error) => {
          if (!(error instanceof AppError && error.code === 'JOB_NOT_RUNNING'))
            this.options.log.warn({ err: error, job_id }, 'a training of a study could not be stopped')
        })
        .finally(() => this.wake())
    }
  }

  #follow({ job_id, position, trial }: Pick<TrainingRecord, 'job_id' | 'position' | 'trial'>): void {
    if (job_id === null || this.#following.has(job_id) || this.#detached) return
    const abort = new AbortController()
    this.#following.set(job_id, abort)
    let begun = false
    const heard = (type: string) => {
      if (!begun && type !== 'stalled') void this.#verify(job_id)
      if (!begun || type === 'epoch_end') this.#notices.changed(position)
      if (trial !== null && type === 'epoch_end') this.#pruning.epochEnded(position, job_id)
      begun = true
    }
    this.options.trainings
      .follow(job_id, ({ type }) => heard(type), abort.signal)
      .catch((error) =>
        this.options.log.warn({ err: error, job_id }, 'a training of a study is not followed'),
      )
      .finally(() => {
        if (this.#detached) return
        this.#following.delete(job_id)
        this.#notices.changed(position)
        this.wake()
      })
  }

  /** The job computes, so it has read the tables: while they are what they were, it has read the right ones. */
  async #verify(jobId: string): Promise<void> {
    const { repository, digests, log } = this.options
    try {
      const study = await repository.find(this.studyId)
      if (study && !(await digests.changed(study))) this.#prepared.add(jobId)
    } catch (error) {
      log.warn({ err: error, study_id: this.studyId }, 'the tables of a study could not be compared')
    }
  }

  /**
   * What the jobs that have ended since the last step leave behind: metrics, or that their training is to go on.
   * @returns whether that changes what is to be done.
   */
  async #settle(study: StudyRecord, trainings: readonly TrainingRecord[]): Promise<boolean> {
    let changed = false
    for (const training of trainings) {
      const { due, metrics, status, error } = training
      if (due || metrics !== null) continue
      if (status === 'completed') changed = (await this.#measured(study, training)) || changed
      else if (status === 'failed' && isInterruption(error?.code) && study.request === null && !study.error)
        changed = (await this.#takeUp(training)) || changed
    }
    return changed
  }

  /** @returns whether more is to be done now: a trial has ended, or the study fails because its tables changed. */
  async #measured(study: StudyRecord, training: TrainingRecord): Promise<boolean> {
    const { repository, folder, digests, searches } = this.options
    const { position, job_id, trial } = training
    if (job_id === null) return false
    const place = { study_id: this.studyId, position, job_id }
    const wrong = this.#prepared.has(job_id) ? null : await digests.changed(study)
    if (wrong) {
      await repository.settle(place, { due: true })
      if (!study.error) await this.#fail(study, wrong)
      return true
    }
    const held_out = study.config.folds !== null
    await repository.settle(
      place,
      trial === null
        ? { metrics: (await metricsIn(resultFile(job_id, { held_out }, folder))) ?? {} }
        : await searches.outcomeOf(study, training, this.#closing.signal),
    )
    this.#prepared.delete(job_id)
    if (trial !== null) this.#notices.changed(position)
    // The next trial may wait for what this one found.
    return trial !== null
  }

  /** A training whose trainer was lost, not one that was lost too often. */
  async #takeUp({ position, job_id }: TrainingRecord): Promise<boolean> {
    const { repository } = this.options
    const jobs = (await repository.attempts(this.studyId)).filter((job) => job.position === position)
    if (job_id === null || jobs.length >= MAX_JOBS) return false
    await repository.settle({ study_id: this.studyId, position, job_id }, { due: true })
    return true
  }

  async #phase(phase: StudyPhase, detail?: string): Promise<void> {
    const { repository, events } = this.options
    const message = phaseInWords(phase, detail)
    await repository.update({ study_id: this.studyId, status: 'running' }, { phase, message })
    events.publish({ type: 'phase', study_id: this.studyId, phase, message })
  }

  /** Until something has happened since the last step began. */
  async #woken(): Promise<void> {
    if (this.#awake) return
    await new Promise<void>((done) => {
      this.#wake = done
    })
  }
}
