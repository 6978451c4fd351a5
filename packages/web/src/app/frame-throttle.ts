/** Calls `work` in the next frame, once for all requests until then. */
export class FrameThrottle {
  #frame: number | undefined

  constructor(private readonly work: () => void) {}

  request(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined
      this.work()
    })
  }

  cancel(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
  }
}
