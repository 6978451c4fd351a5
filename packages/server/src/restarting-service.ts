import { retry } from './concurrency/retry.js'
import { untilDatabaseAnswers } from './database/database.js'
import { isLost } from './database/database-error.js'
import { RESTART_MILLISECONDS } from './durations.js'
import { StartError } from './errors.js'
import { createLog } from './log.js'
import type { RunningService } from './running-service.js'
import { startService } from './service.js'
import type { Settings } from './settings.js'

/**
 * The service, restarted each time its database server was unavailable. State in memory may differ from the stored state, so none of it is
 * kept: until the server responds, requests get DATABASE_UNAVAILABLE; then the service starts again from the stored state, at the same
 * address. Trainings continue meanwhile and are adopted.
 */
export class RestartingService {
  readonly #ended = new AbortController()
  #service: RunningService
  #ending: Promise<void> | undefined

  private constructor(
    private readonly settings: Settings,
    service: RunningService,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.#service = service
    void this.#keep()
  }

  /**
   * @param onFailure called when the service cannot be started again.
   * @throws StartError when it cannot start.
   */
  static async start(settings: Settings, onFailure: (error: unknown) => void): Promise<RestartingService> {
    return new RestartingService(settings, await startFirst(settings), onFailure)
  }

  /** The current service, or the last one. */
  get service(): RunningService {
    return this.#service
  }

  close(): Promise<void> {
    this.#ended.abort()
    this.#ending ??= closeOrLost(this.#service)
    return this.#ending
  }

  /** Returns true if an uncaught error comes from work of a lost service: the next one starts from the stored state. */
  isOfLost(error: unknown): boolean {
    if (!isLost(error)) return false
    this.#service.app.log.warn({ err: error }, 'skipped, because the database is not available')
    return true
  }

  async #keep(): Promise<void> {
    const { databaseUrl: url } = this.settings
    if (!url) return
    try {
      for (;;) {
        const error = await this.#service.lost
        if (this.#ended.signal.aborted) return
        const { log } = this.#service.app
        log.error(
          { err: error },
          'the database server does not respond; the service continues when it responds again',
        )
        await untilDatabaseAnswers({ url }, this.#ended.signal)
        if (this.#ended.signal.aborted) return
        await closeOrLost(this.#service).catch((failure) =>
          log.warn({ err: failure }, 'the service did not close cleanly'),
        )
        await this.#startAgain(this.#service.address)
        this.#service.app.log.info('the database server responds again; the service continues')
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) this.onFailure(error)
    }
  }

  /** Uses the same address, even if a random free port was requested. */
  async #startAgain(address: string): Promise<void> {
    const settings = { ...this.settings, port: Number(new URL(address).port) || this.settings.port }
    const { signal } = this.#ended
    const start = async () => {
      if (signal.aborted) return
      this.#service = await startService(settings)
      if (signal.aborted) await this.#service.close()
    }
    await retry(start, {
      delay: () => RESTART_MILLISECONDS,
      signal,
      keepsAlive: true,
      onFailure: (error) => {
        if (!isLost(error)) throw error
      },
    })
  }
}

/**
 * The first start. A controller may wait for its turn for months: if a database server that has responded once becomes unavailable
 * meanwhile, the start waits for it and opens everything again.
 */
async function startFirst(settings: Settings): Promise<RunningService> {
  for (let wasOpened = false; ; ) {
    try {
      return await startService(settings, { onOpened: () => (wasOpened = true) })
    } catch (error) {
      if (!isLost(error)) throw error
      if (!wasOpened)
        throw new StartError(
          (error as Error).message,
          'Check that the database server runs, and that the address, user and password in MEDLOOM_DATABASE_URL are correct.',
        )
      createLog(settings.logLevel).warn(
        { err: error },
        'the database server does not respond; the service starts when it responds',
      )
      await untilDatabaseAnswers({ url: settings.databaseUrl ?? '' }, new AbortController().signal)
    }
  }
}

/** Writes to an unavailable database are expected to fail here. */
async function closeOrLost(service: RunningService): Promise<void> {
  try {
    await service.close()
  } catch (error) {
    if (!isLost(error)) throw error
  }
}
