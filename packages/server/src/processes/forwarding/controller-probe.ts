import { repeatEvery } from '../../concurrency/repeat-every.js'
import { shareInFlight } from '../../concurrency/share-in-flight.js'
import { CONTROLLER_ANSWER_MILLISECONDS, CONTROLLER_RECENT_MILLISECONDS } from '../../durations.js'
import type { ControllerDirectory } from '../controller-directory.js'
import { healthOf } from '../controller-health.js'
import type { Controller } from '../controllers.repository.js'

/** Minimum number of checks within the time after which a controller counts as hung. */
const MIN_LOOKS = 4

/**
 * Detects whether a controller works, as seen by another process. A hung controller accepts connections and requests, but answers none of
 * them. Work may take any time while the controller answers other requests.
 */
export class ControllerProbe {
  #answeredAt = Number.NEGATIVE_INFINITY
  #endChecks: (() => void) | undefined
  #lookedAt = 0
  #silence = 0
  readonly #onSilent = new Set<() => void>()
  readonly #recent: number
  readonly #question: number

  /** @param maxSilence milliseconds without a response after which a controller counts as hung */
  constructor(
    private readonly controller: Controller,
    private readonly maxSilence: number,
  ) {
    this.#recent = Math.min(CONTROLLER_RECENT_MILLISECONDS, maxSilence / MIN_LOOKS)
    this.#question = Math.min(CONTROLLER_ANSWER_MILLISECONDS, maxSilence)
  }

  /** Called when it has responded. */
  note(): void {
    this.#answeredAt = performance.now()
    this.#silence = 0
  }

  /** Returns true if it works at the moment; false as soon as there is another controller. */
  async isAnswering(directory: Pick<ControllerDirectory, 'changed'>, signal: AbortSignal): Promise<boolean> {
    if (this.#isRecent()) return true
    const another = directory.changed(this.#question, signal).then(() => false)
    return Promise.race([this.#query(), another])
  }

  /** Calls `onSilent` once it hangs. @returns a function that ends the watch */
  watch(onSilent: () => void): () => void {
    this.#onSilent.add(onSilent)
    this.#endChecks ??= this.#begin()
    return () => {
      this.#onSilent.delete(onSilent)
      if (this.#onSilent.size > 0) return
      this.#endChecks?.()
      this.#endChecks = undefined
    }
  }

  #begin(): () => void {
    this.#silence = 0
    this.#lookedAt = performance.now()
    return repeatEvery(this.#recent, () => this.#look())
  }

  #look(): void {
    const now = performance.now()
    // More time has passed if this process itself was suspended.
    this.#silence += Math.min(now - this.#lookedAt, 2 * this.#recent)
    this.#lookedAt = now
    if (this.#silence >= this.maxSilence) for (const listener of [...this.#onSilent]) listener()
    else if (!this.#isRecent()) void this.#query()
  }

  #isRecent(): boolean {
    return performance.now() - this.#answeredAt < this.#recent
  }

  readonly #query = shareInFlight(async (): Promise<boolean> => {
    const status = await healthOf(this.controller, this.#question)
    if (status === 200) this.note()
    return status === 200
  })
}

/** The probe of each controller; earlier ones are removed. */
export class ControllerProbes {
  readonly #probes = new Map<number, ControllerProbe>()

  constructor(private readonly maxSilence: number) {}

  get(controller: Controller): ControllerProbe {
    const { fence } = controller
    const known = this.#probes.get(fence)
    if (known) return known
    const probe = new ControllerProbe(controller, this.maxSilence)
    this.#probes.clear()
    this.#probes.set(fence, probe)
    return probe
  }
}
