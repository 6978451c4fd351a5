import type { JobMessage } from '@medloom/contracts'

export type ProgressMessage = Extract<JobMessage, { type: 'progress' }>

/** What a training tells of its batches, shown once per frame at most: a page that is slower than the training skips what is late. */
export class NewestProgress {
  #newest: ProgressMessage | undefined
  #frame: number | undefined

  constructor(private readonly show: (message: ProgressMessage) => void) {}

  /** A later message replaces an earlier one, but for the metrics that it does not name. */
  take(message: ProgressMessage): void {
    this.#newest = { ...message, metrics: { ...this.#newest?.metrics, ...message.metrics } }
    this.#frame ??= requestAnimationFrame(this.showNow)
  }

  /** Before anything that a training tells after it: a page in the background has no frames. */
  readonly showNow = (): void => {
    if (this.#frame === undefined) return
    cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    const newest = this.#newest
    this.#newest = undefined
    if (newest) this.show(newest)
  }
}
