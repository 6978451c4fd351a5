import { setTimeout as pause } from 'node:timers/promises'
import { untilDatabaseAnswers } from './database/database.js'
import { isLost } from './database/database-error.js'
import { StartError } from './errors.js'
import { createLog } from './log.js'
import type { RunningService } from './running-service.js'
import { startService } from './service.js'
import type { Settings } from './settings.js'

/** Before the next start, where one failed because the connection was lost again. */
const RETRY_MILLISECONDS = 500

/**
 * The service, started anew each time its database server was away. What one service held in memory may not be what the server has
 * stored, so nothing of it goes on: until the server answers, requests get DATABASE_UNAVAILABLE; then the service begins again with what
 * is stored, at the same address. Trainings go on meanwhile and are adopted.
 */
export class KeptService {
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
   * @param onFailure told when the service cannot be started again.
   * @throws StartError when it cannot start.
   */
  static async start(settings: Settings, onFailure: (error: unknown) => void): Promise<KeptService> {
    return new KeptService(settings, await startFirst(settings), onFailure)
  }

  /** The one that runs, or ran last. */
  get service(): RunningService {
    return this.#service
  }

  close(): Promise<void> {
    this.#ended.abort()
    this.#ending ??= closeOrLost(this.#service)
    return this.#ending
  }

  /** Whether an error that nothing has caught is of what a lost service still tried: the next one begins with what is stored. */
  isOfLost(error: unknown): boolean {
    if (!isLost(error)) return false
    this.#service.app.log.warn({ err: error }, 'not done: the database is away')
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
        log.error({ err: error }, 'the database server is away; the service goes on once it answers')
        await untilDatabaseAnswers({ url }, this.#ended.signal)
        if (this.#ended.signal.aborted) return
        await closeOrLost(this.#service).catch((failure) =>
          log.warn({ err: failure }, 'the service did not close cleanly'),
        )
        await this.#startAgain(this.#service.address)
        this.#service.app.log.info('the database server answers again; the service goes on')
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) this.onFailure(error)
    }
  }

  /** At the same address, also where any free port was asked for. */
  async #startAgain(address: string): Promise<void> {
    const settings = { ...this.settings, port: Number(new URL(address).port) || this.settings.port }
    while (!this.#ended.signal.aborted) {
      try {
        this.#service = await startService(settings)
        if (this.#ended.signal.aborted) await this.#service.close()
        return
      } catch (error) {
        if (!isLost(error)) throw error
        await pause(RETRY_MILLISECONDS)
      }
    }
  }
}

/**
 * The first start. A controller that waits for its turn may be in it for months: a database server that has answered once and is away
 * meanwhile is waited for, and everything is opened again.
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
          'Check that the database server runs, and the address, user and password of MEDLOOM_DATABASE_URL.',
        )
      createLog(settings.logLevel).warn(
        { err: error },
        'the database server is away; the service starts once it answers',
      )
      await untilDatabaseAnswers({ url: settings.databaseUrl ?? '' }, new AbortController().signal)
    }
  }
}

/** What it would still have stored in a database that is away is refused, which is as it should be. */
async function closeOrLost(service: RunningService): Promise<void> {
  try {
    await service.close()
  } catch (error) {
    if (!isLost(error)) throw error
  }
}
