import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../concurrency/coalescer.js'
import { STUDY_NOTICES_MILLISECONDS } from '../durations.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyEvents } from './study-events.js'
import { jobsOf, progressOfTrainings } from './study-reader.js'

export interface StudyNoticesOptions {
  readonly repository: StudiesRepository
  readonly events: StudyEvents
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** Notifies the followers of a study about its trainings: a new state, or their progress. */
export class StudyNotices {
  readonly #changed = new Set<number>()
  /** Last state that was sent of each training. */
  readonly #sent = new Map<number, string>()
  readonly #notify = new Coalescer(() => this.#publish(), {
    milliseconds: STUDY_NOTICES_MILLISECONDS,
    onError: (error) =>
      this.options.log.warn(
        { err: error, study_id: this.studyId },
        'the followers of a study were not notified',
      ),
  })
  #closed = false

  constructor(
    private readonly studyId: string,
    private readonly options: StudyNoticesOptions,
  ) {}

  /** Called when the training at this position has a new state or has finished an epoch. */
  changed(position: number): void {
    if (this.#closed) return
    this.#changed.add(position)
    this.#notify.request()
  }

  /** Resolves when every change is sent, so that no later message overtakes it. Never rejects. */
  flush(): Promise<void> {
    return this.#notify.flush()
  }

  close(): void {
    this.#closed = true
    void this.#notify.cancel()
  }

  async #publish(): Promise<void> {
    if (this.#changed.size === 0) return
    const { repository, events } = this.options
    const positions = [...this.#changed]
    this.#changed.clear()
    const trainings = await repository.trainings.list(this.studyId)
    const jobs = jobsOf(trainings, await repository.trainings.attempts(this.studyId))
    const progress = progressOfTrainings(trainings)
    if (this.#closed) return
    let hasNewState = false
    for (const index of positions) {
      const training = jobs[index]
      const state = JSON.stringify(training)
      if (!training || this.#sent.get(index) === state) continue
      this.#sent.set(index, state)
      hasNewState = true
      events.publish({ type: 'training', study_id: this.studyId, index, training, progress })
    }
    if (!hasNewState) events.publish({ type: 'progress', study_id: this.studyId, progress })
  }
}
