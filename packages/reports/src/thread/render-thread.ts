import { Worker } from 'node:worker_threads'

/** Time after which an idle thread ends and releases its memory. */
const IDLE_MILLISECONDS = 10_000

/** A thread that renders one report at a time. */
export class RenderThread {
  readonly #worker: Worker
  #settle: { resolve(output: unknown): void; reject(error: Error): void } | undefined
  #idle: NodeJS.Timeout | undefined

  /** @param onEnd called when the thread cannot render any more. */
  constructor(
    readonly file: URL,
    private readonly onEnd: () => void,
  ) {
    this.#worker = new Worker(file, {
      // The compiled thread needs no flags of this process, such as those for running from sources.
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

  /** @throws the error of the rendering; the thread has then ended. */
  render(name: string, input: unknown): Promise<unknown> {
    clearTimeout(this.#idle)
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#worker.postMessage({ name, input })
    })
  }

  #finish(output: unknown): void {
    // A process without other work does not wait for the thread.
    this.#worker.unref()
    this.#idle = setTimeout(() => {
      this.onEnd()
      void this.#worker.terminate()
    }, IDLE_MILLISECONDS).unref()
    this.#settle?.resolve(output)
    this.#settle = undefined
  }
}
