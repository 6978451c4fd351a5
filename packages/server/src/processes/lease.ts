import { Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import { repeatEvery } from '../concurrency/repeat-every.js'
import { DatabaseError } from '../database/database-error.js'
import type { DatabaseServer } from '../database/dialect.js'
import {
  CONTROLLER_BEAT_MILLISECONDS,
  CONTROLLER_BUSY_MILLISECONDS,
  CONTROLLER_LEASE_MILLISECONDS,
} from '../durations.js'
import type { ControllersRepository } from './controllers.repository.js'

/** Identical file in the sources and in the build. */
const WORKER = new URL('./beats.worker.js', import.meta.url)

/**
 * Resolves when this process is the controller at this moment, for changes outside the database: it cannot write rows otherwise.
 * @throws DatabaseError `lost` when another process is, or may be, the controller.
 */
export type ConfirmController = () => Promise<void>

/** For a service in which no other process can be the controller. */
export const ALONE: ConfirmController = async () => undefined

export interface LeaseOptions {
  readonly repository: Pick<ControllersRepository, 'confirm'>
  /** The address of the database. */
  readonly url: string
  readonly log: Pick<FastifyBaseLogger, 'debug'>
  readonly busyMilliseconds?: number
  readonly beatMilliseconds?: number
}

/**
 * Sign of life for the processes that wait for this controller: a number that a separate thread increments, however busy the controller is.
 * Clocks of different machines are never compared.
 */
export class Lease {
  readonly #thread: Worker
  readonly #endLiving: () => void

  constructor(
    readonly fence: number,
    private readonly options: LeaseOptions,
  ) {
    const {
      url,
      log,
      busyMilliseconds = CONTROLLER_BUSY_MILLISECONDS,
      beatMilliseconds = CONTROLLER_BEAT_MILLISECONDS,
    } = options
    this.#thread = new Worker(WORKER, {
      name: 'beats',
      workerData: { url, fence, beatMilliseconds, busyMilliseconds },
      execArgv: [],
    })
    this.#thread.on('message', (error) => log.debug({ error }, 'the controller could not renew its lease'))
    this.#thread.on('error', (error) =>
      log.debug({ err: error }, 'the controller no longer renews its lease'),
    )
    this.#thread.unref()
    this.#endLiving = repeatEvery(beatMilliseconds, () => this.#thread.postMessage('living'))
  }

  /** An answer that took longer than the lease is not valid any more: this process may have been suspended meanwhile. */
  readonly confirm: ConfirmController = async () => {
    for (;;) {
      const startedAt = performance.now()
      if (!(await this.options.repository.confirm(this.fence)))
        throw new DatabaseError('another process is the controller', 'lost', undefined)
      if (performance.now() - startedAt < CONTROLLER_LEASE_MILLISECONDS) return
    }
  }

  async end(): Promise<void> {
    this.#endLiving()
    await this.#thread.terminate()
  }
}

export interface HungControllerOptions {
  readonly lock: string
  readonly server: Pick<DatabaseServer, 'holder' | 'endHolder'>
  readonly repository: Pick<ControllersRepository, 'beats'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly leaseMilliseconds?: number
}

/** Ends the session of a controller that hangs while its connection is open; its lock is then free, and it cannot write any more. */
export class HungController {
  #seen = ''
  #since = 0

  constructor(private readonly options: HungControllerOptions) {}

  /** Called repeatedly while another process holds the lock. */
  async look(): Promise<void> {
    const { lock, server, repository, log, leaseMilliseconds = CONTROLLER_LEASE_MILLISECONDS } = this.options
    // Measured before the query: this process may also be suspended between query and answer.
    const now = performance.now()
    const session = await server.holder(lock)
    const seen = `${session} ${await repository.beats()}`
    if (session === null || seen !== this.#seen) {
      this.#seen = seen
      this.#since = now
    } else if (now - this.#since >= leaseMilliseconds) {
      log.warn({ session }, 'the controller does not respond; its session is ended')
      this.#since = now
      await server
        .endHolder(lock, session)
        .catch((error) =>
          log.warn(
            { err: error },
            'the session of the controller could not be ended; use the same database user for all processes',
          ),
        )
    }
  }
}
