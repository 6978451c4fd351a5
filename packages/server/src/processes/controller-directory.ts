import type { FastifyBaseLogger } from 'fastify'
import { repeatEvery } from '../concurrency/repeat-every.js'
import { shareInFlight } from '../concurrency/share-in-flight.js'
import { sleep } from '../concurrency/sleep.js'
import { CONTROLLER_POLL_MILLISECONDS } from '../durations.js'
import type { Controller, ControllersRepository } from './controllers.repository.js'

export interface ControllerDirectoryOptions {
  readonly repository: Pick<ControllersRepository, 'current'>
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

type Listener = (controller: Controller | null) => void

/** The current controller, as other processes know it. */
export class ControllerDirectory {
  #current: Controller | null = null
  #folder: string | null = null
  #endPolling: () => void = () => undefined
  readonly #listeners = new Set<Listener>()

  constructor(private readonly options: ControllerDirectoryOptions) {}

  /** @param folder the data folder of this process */
  async start(folder: string): Promise<void> {
    this.#folder = folder
    await this.look()
    this.#endPolling = repeatEvery(CONTROLLER_POLL_MILLISECONDS, this.look)
  }

  get current(): Controller | null {
    return this.#current
  }

  /** True if this process and the controller use different data folders. */
  get isOfOtherFolder(): boolean {
    return this.#current !== null && this.#current.folder !== this.#folder
  }

  /** Called for each new controller, and when there is none. @returns a function that unsubscribes. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The current controller, or the next one; null if there is none until `deadline` (milliseconds of Date.now()) or `signal` aborts. */
  async find(deadline: number, signal: AbortSignal): Promise<Controller | null> {
    while (!this.#current && !signal.aborted) {
      const remaining = deadline - Date.now()
      if (remaining <= 0) return null
      await this.changed(remaining, signal)
    }
    return this.#current
  }

  /** Resolves as soon as the controller changes or ends; at the latest after this number of milliseconds. */
  async changed(milliseconds: number, signal: AbortSignal): Promise<void> {
    const change = new AbortController()
    const unsubscribe = this.onChange(() => change.abort())
    await sleep(milliseconds, { signal: AbortSignal.any([signal, change.signal]) })
    unsubscribe()
  }

  /** Query the database. Never rejects: while it does not respond, the last known controller is kept. */
  readonly look = shareInFlight(() => this.#read())

  close(): void {
    this.#endPolling()
    this.#listeners.clear()
  }

  async #read(): Promise<void> {
    try {
      const before = this.#current
      this.#current = await this.options.repository.current()
      if (before?.fence === this.#current?.fence) return
      const { fence, address } = this.#current ?? {}
      this.options.log.info(
        { fence, address },
        address ? 'there is a new controller' : 'there is no controller',
      )
      for (const listener of [...this.#listeners]) listener(this.#current)
    } catch (error) {
      this.options.log.warn({ err: error }, 'the database does not contain the address of the controller')
    }
  }
}
