import { BoundedMap } from '../concurrency/bounded-map.js'
import type { RunningTrainer, TrainerHandle, TrainerOrder } from '../ports/launcher.js'

/** An attempt is never submitted again after its end, except immediately by a caller that did not see the end. */
const MAX_ENDED = 1000

/** Ensures that a launcher starts one trainer for each job and attempt, however often it is called. */
export class SubmittedTrainers {
  readonly #submitted = new Map<string, Promise<RunningTrainer | null>>()
  readonly #ended = new BoundedMap<string, TrainerHandle>(MAX_ENDED)

  constructor(readonly attach: (handle: TrainerHandle) => RunningTrainer) {}

  async submit(
    { job_id, attempt }: TrainerOrder,
    start: () => Promise<RunningTrainer | null>,
  ): Promise<RunningTrainer | null> {
    const key = `${job_id} ${attempt}`
    const ended = this.#ended.get(key)
    if (ended) return this.attach(ended)
    const known = this.#submitted.get(key)
    if (known) return known
    const submission = start()
    this.#submitted.set(key, submission)
    try {
      const trainer = await submission
      if (trainer) void trainer.gone.then(() => this.#forget(key, trainer.handle))
      else this.#submitted.delete(key)
      return trainer
    } catch (error) {
      this.#submitted.delete(key)
      throw error
    }
  }

  /** After a trainer has ended, only its handle is kept, and only for the newest trainers. */
  #forget(key: string, handle: TrainerHandle): void {
    this.#submitted.delete(key)
    this.#ended.set(key, handle)
  }
}
