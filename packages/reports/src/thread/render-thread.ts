import { Worker } from 'node:worker_threads'

/** A thread that waits so long for another report before it ends and gives back its memory. */
const IDLE_MILLISECONDS = 10_000

/** A thread that renders one report at a time. */
export class RenderThread {
  readonly #worker: Worker
  #settle: { resolve(output: unknown): void; reject(error: Error): void } | undefined
  #idle: NodeJS.Timeout | undefined

  /** @param onEnd told when it can render no more. */
  constructor(
    readonly file: URL,
    private readonly onEnd: () => void,
  ) {
    this.#worker = new Worker(file, {
      // The compiled thread needs none of the flags of this process, such as those that run it from sources.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    this.#worker.on('message', (output) => this.#finish(output))
    this.#worker.once('error', (error: Error) => this.#settle?.reject(error))
    this.#worker.once('exit', (code) => {
      onEnd()
      clearTimeout(this.#idle)
      this.#settle?.reject(new Error(`the report thread exited with code ${code} without a report`))
    })
  }

  /** @throws what the rendering throws; the thread has ended then. */
  render(name: string, input: unknown): Promise<unknown> {
    clearTimeout(this.#idle)
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#worker.postMessage({ name, input })
    })
  }

  #finish(output: unknown): void {
    // A process without other work need not wait for it.
    this.#worker.unref()
    this.#idle = setTimeout(() => {
      this.onEnd()
      void this.#worker.terminate()
    }, IDLE_MILLISECONDS).unref()
    this.#settle?.resolve(output)
    this.#settle = undefined
  }
}
