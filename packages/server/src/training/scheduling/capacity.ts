import { fieldsOf, phrase, type QueuePause } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { retry } from '../../concurrency/retry.js'
import { shareInFlight } from '../../concurrency/share-in-flight.js'
import { AppError } from '../../errors.js'
import type { Capacity, Launcher } from '../../ports/launcher.js'

/** Capacity of a launcher, as soon as it is known. */
export class KnownCapacity {
  /** Reason why it is not known: no job is started until then. */
  pause: QueuePause | null = null

  constructor(
    readonly launcher: Pick<Launcher, 'capacity'>,
    readonly log: Pick<FastifyBaseLogger, 'warn'>,
    readonly retryMilliseconds = 5000,
  ) {}

  /** Queries the launcher until the capacity is known; concurrent callers share the answer. */
  readonly query = shareInFlight(async (): Promise<Capacity> => {
    const capacity = await retry(() => this.launcher.capacity(), {
      delay: () => this.retryMilliseconds,
      onFailure: (error) => {
        if (this.pause === null)
          this.log.warn({ err: error }, 'the launcher does not know its capacity; requesting it again')
        this.pause = this.#pauseFor(error)
      },
    })
    this.pause = null
    return capacity
  })

  #pauseFor(error: unknown): QueuePause {
    const { code, text, remedy } =
      error instanceof AppError
        ? error
        : new AppError('TRAINER_FAILED', phrase('devices_unknown'), phrase('read_service_log'))
    const now = Date.now()
    return {
      since: this.pause?.since ?? new Date(now).toISOString(),
      code,
      ...fieldsOf('message', text),
      ...fieldsOf('remedy', remedy),
      retry_at: new Date(now + this.retryMilliseconds).toISOString(),
    }
  }
}
