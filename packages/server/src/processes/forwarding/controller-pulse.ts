import type { ControllerDirectory } from '../controller-directory.js'
import { healthOf } from '../controller-health.js'
import type { Controller } from '../controllers.repository.js'

/** A controller that has answered so recently is not asked whether it works. */
const RECENT_MILLISECONDS = 1000
/** An unanswered question is asked again on another connection: the first one may be broken. */
const QUESTION_MILLISECONDS = 2000
/** Looks and questions in the time after which a controller hangs. */
const MIN_LOOKS = 4

/**
 * Whether a controller works, as another process sees it. One that hangs accepts connections and requests, and answers none of them. Work may
 * take any time while the controller answers something else.
 */
export class ControllerPulse {
  #answeredAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #lookedAt = 0
  #silence = 0
  readonly #onSilent = new Set<() => void>()
  readonly #recent: number
  readonly #question: number

  /** @param maxSilence in milliseconds; a controller that has answered nothing for so long hangs */
  constructor(
    private readonly controller: Controller,
    private readonly maxSilence: number,
  ) {
    this.#recent = Math.min(RECENT_MILLISECONDS, maxSilence / MIN_LOOKS)
    this.#question = Math.min(QUESTION_MILLISECONDS, maxSilence)
  }

  /** It has answered something. */
  note(): void {
    this.#answeredAt = performance.now()
    this.#silence = 0
  }

  /** Whether it works at the moment; false as soon as there is another controller. */
  async isAnswering(directory: Pick<ControllerDirectory, 'changed'>, signal: AbortSignal): Promise<boolean> {
    if (this.#isRecent()) return true
    const another = directory.changed(this.#question, signal).then(() => false)
    return Promise.race([this.#ask(), another])
  }

  /** Calls `onSilent` once it hangs. @returns how to end that */
  watch(onSilent: () => void): () => void {
    this.#onSilent.add(onSilent)
    this.#timer ??= this.#begin()
    return () => {
      this.#onSilent.delete(onSilent)
      if (this.#onSilent.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #begin(): NodeJS.Timeout {
    this.#silence = 0
    this.#lookedAt = performance.now()
    return setInterval(() => this.#look(), this.#recent).unref()
  }

  #look(): void {
    const now = performance.now()
    // A longer time passes where this process itself stood still.
    this.#silence += Math.min(now - this.#lookedAt, 2 * this.#recent)
    this.#lookedAt = now
    if (this.#silence >= this.maxSilence) for (const tell of [...this.#onSilent]) tell()
    else if (!this.#isRecent()) void this.#ask()
  }

  #isRecent(): boolean {
    return performance.now() - this.#answeredAt < this.#recent
  }

  #ask(): Promise<boolean> {
    this.#asking ??= healthOf(this.controller, this.#question).then((status) => {
      this.#asking = undefined
      if (status === 200) this.note()
      return status === 200
    })
    return this.#asking
  }
}

/** The pulse of each controller; earlier ones are forgotten. */
export class ControllerPulses {
  readonly #pulses = new Map<number, ControllerPulse>()

  constructor(private readonly maxSilence: number) {}

  of(controller: Controller): ControllerPulse {
    const { fence } = controller
    const known = this.#pulses.get(fence)
    if (known) return known
    const pulse = new ControllerPulse(controller, this.maxSilence)
    this.#pulses.clear()
    this.#pulses.set(fence, pulse)
    return pulse
  }
}
