import type { JobMessage } from '@medloom/contracts'
import { FrameThrottle } from '../../app/frame-throttle'

export type ProgressMessage = Extract<JobMessage, { type: 'progress' }>

/** Batch progress of a training, shown at most once per frame: a page that is slower than the training skips outdated messages. */
export class LatestProgress {
  #newest: ProgressMessage | undefined
  readonly #frame = new FrameThrottle(() => this.#show())

  constructor(private readonly show: (message: ProgressMessage) => void) {}

  /** A later message replaces an earlier one, except for metrics that it does not contain. */
  add(message: ProgressMessage): void {
    this.#newest = { ...message, metrics: { ...this.#newest?.metrics, ...message.metrics } }
    this.#frame.request()
  }

  /** Called before later messages are shown: a page in the background has no frames. */
  readonly flush = (): void => {
    this.#frame.cancel()
    this.#show()
  }

  #show(): void {
    const newest = this.#newest
    this.#newest = undefined
    if (newest) this.show(newest)
  }
}
