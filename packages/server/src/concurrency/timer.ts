/** Calls `work` when its time is over. It does not keep the process alive. */
export class Timer {
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly work: () => unknown) {}

  get isRunning(): boolean {
    return this.#timer !== undefined
  }

  /** Starts the timer. A running timer starts again with the new time. */
  start(milliseconds: number): void {
    this.stop()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.work()
    }, milliseconds).unref()
  }

  /** Starts a running timer again with the same time. */
  refresh(): void {
    this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Calls `work` once after this time, without keeping the process alive. @returns a function that cancels it */
export function after(milliseconds: number, work: () => unknown): () => void {
  const timer = new Timer(work)
  timer.start(milliseconds)
  return () => timer.stop()
}
