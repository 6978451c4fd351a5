import { fieldsOf, messageOf, type Phrase, type StudyPhase } from '@medloom/contracts'
import { Timer } from '../concurrency/timer.js'
import { STUDY_RETRY_MILLISECONDS } from '../durations.js'
import { AppError } from '../errors.js'
import { MACHINE_FAULTS } from '../system-fault.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { Pruning } from './search/pruning.js'
import { isReady, searchCells } from './search/trials.js'
import type { StudyEvents } from './study-events.js'
import type { StudyFinish } from './study-finish.js'
import { type FollowedTraining, StudyJobs } from './study-jobs.js'
import { StudyNotices } from './study-notices.js'
import { studyPhase } from './study-phase.js'
import { isActive, type StudyRecord, type TrainingRecord } from './study-record.js'
import { startTraining } from './study-trainings.js'
import { type OutcomesOptions, TrainingOutcomes } from './training-outcomes.js'

export interface StudyRunOptions extends OutcomesOptions {
  readonly trainings: TrainingGateway
  readonly events: StudyEvents
  readonly finish: StudyFinish
  /** Number of jobs that the machine has slots for. */
  readonly places: () => Promise<number>
  /** Delay before a study retries an operation that the machine refused; for tests. */
  readonly retryMilliseconds?: number | undefined
}

/** Temporary refusals by the queue, by the quota of the owner, or by the machine. */
const TRANSIENT: ReadonlySet<string> = new Set(['QUEUE_FULL', 'QUOTA_EXCEEDED', ...MACHINE_FAULTS])

/**
 * A running study: starts its trainings until none remains, then has its results computed. Its complete state is in the database, so the
 * next service continues where this one ended.
 */
export class StudyRun {
  /** Resolves when the end is durable and published, or when the service ends first. */
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #wake: () => void = () => undefined
  #awake = false
  readonly #retry = new Timer(() => this.wake())
  readonly #jobs: StudyJobs
  readonly #outcomes: TrainingOutcomes
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
    this.#jobs = new StudyJobs(options, {
      onEvent: (training, type, isFirst) => this.#onEvent(training, type, isFirst),
      ended: ({ position }) => {
        this.#notices.changed(position)
        this.wake()
      },
      stopped: () => this.wake(),
    })
    const listener = {
      refused: (study: StudyRecord, error: AppError) => this.#fail(study, error),
      trialEnded: (position: number) => this.#notices.changed(position),
    }
    this.#outcomes = new TrainingOutcomes(studyId, options, listener, this.#closing.signal)
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
        // The stored state is consistent, so it continues from there, for example after a full disk.
        log.error({ err: error, study_id: this.studyId }, 'a study was interrupted; trying again')
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
    await this.options.finish.finish(
      this.studyId,
      (phase, detail) => this.#phase(phase, detail),
      this.#closing.signal,
    )
  }

  /** Check again: a stop was requested, or a training has ended. */
  wake(): void {
    this.#awake = true
    this.#wake()
  }

  /** Trainings continue; the next service follows them. */
  detach(): void {
    this.#closing.abort()
    this.#retry.stop()
    this.#notices.close()
    this.#jobs.close()
    this.#end()
    this.wake()
  }

  get #detached(): boolean {
    return this.#closing.signal.aborted
  }

  /** @returns true if nothing remains to be trained. */
  async #step(): Promise<boolean> {
    const { repository } = this.options
    this.#awake = false
    const study = await repository.find(this.studyId)
    if (study?.status !== 'running') return true
    const trainings = await repository.trainings.list(this.studyId)
    if (await this.#outcomes.settle(study, trainings)) return this.#lookAgain()
    const active = trainings.filter(isActive)
    for (const training of active) this.#jobs.follow(training)
    this.#jobs.stop(study.request === 'stop' ? active : active.filter(({ pruned_at }) => pruned_at !== null))
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

  /** Starts trainings up to the limit; one of them waits in the queue, so that no slot is idle between two trainings. */
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
        this.#jobs.follow({ ...training, job_id })
        this.#notices.changed(training.position)
      } catch (error) {
        if (this.#detached) return
        if (!(error instanceof AppError)) throw error
        if (TRANSIENT.has(error.code)) return this.#again()
        return this.#fail(study, error)
      }
    }
  }

  /** Null for a named variant, and for a trial that is not trained. */
  async #settingsOf(study: StudyRecord, training: TrainingRecord): Promise<TrainingRecord['settings']> {
    if (training.trial === null) return null
    return this.options.searches.settingsOf(study, training, this.#closing.signal)
  }

  /** Starts no further training; running ones end by themselves. */
  async #fail(study: StudyRecord, { code, text }: AppError): Promise<void> {
    const message = fieldsOf('message', text)
    await this.options.repository.update(study, { error: { code, ...message }, ...message })
    this.wake()
  }

  #again(): void {
    this.#retry.start(this.options.retryMilliseconds ?? STUDY_RETRY_MILLISECONDS)
  }

  #onEvent({ job_id, position, trial }: FollowedTraining, type: string, isFirst: boolean): void {
    if (isFirst && type !== 'stalled') void this.#outcomes.verify(job_id)
    if (isFirst || type === 'epoch_end') this.#notices.changed(position)
    if (trial !== null && type === 'epoch_end') this.#pruning.epochEnded(position, job_id)
  }

  async #phase(phase: StudyPhase, detail?: readonly Phrase[]): Promise<void> {
    const { repository, events } = this.options
    const message = messageOf(studyPhase(phase, detail))
    await repository.update({ study_id: this.studyId, status: 'running' }, { phase, ...message })
    events.publish({ type: 'phase', study_id: this.studyId, phase, ...message })
  }

  /** Resolves once something has happened since the last step began. */
  async #woken(): Promise<void> {
    if (this.#awake) return
    await new Promise<void>((done) => {
      this.#wake = done
    })
  }
}
