import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { registerCleanup } from '../../tests/testing/cleanup.js'

const FROM_SOURCES = '--conditions=medloom-source'

/** A program of this folder in a separate process, which receives orders one after the other. */
export class Helper<Order extends object | string, Report> {
  readonly #child: ChildProcess
  #turn: Promise<unknown> = Promise.resolve()

  /** @param first first order. @param options for Node.js, in addition to those of this process; with any, built packages are used. */
  constructor(file: string, first?: object, options?: readonly string[]) {
    const execArgv = options
      ? [...process.execArgv.filter((option) => option !== FROM_SOURCES), ...options]
      : process.execArgv
    this.#child = fork(join(import.meta.dirname, file), { execArgv })
    if (first) this.#child.send(first)
    const child = this.#child
    const unregister = registerCleanup(() => child.kill('SIGKILL'))
    child.once('exit', unregister)
  }

  get process(): ChildProcess {
    return this.#child
  }

  /** Its next matching message. */
  async next(isMeant: (report: Report) => boolean = () => true): Promise<Report> {
    const ended = new AbortController()
    const onExit = () => ended.abort(new Error('a process of the bench has ended'))
    this.#child.once('exit', onExit)
    try {
      for (;;) {
        const [report] = (await once(this.#child, 'message', { signal: ended.signal })) as [Report]
        if (isMeant(report)) return report
      }
    } finally {
      this.#child.off('exit', onExit)
    }
  }

  send(order: Order): void {
    this.#child.send(order as object)
  }

  /** Sends an order and returns its response. */
  request(order: Order, isMeant?: (report: Report) => boolean): Promise<Report> {
    const answer = this.#turn.then(() => {
      const report = this.next(isMeant)
      this.send(order)
      return report
    })
    this.#turn = answer.catch(() => undefined)
    return answer
  }

  async end(order?: Order): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    if (order === undefined) this.#child.kill('SIGKILL')
    else this.send(order)
    await exited
  }
}

/** First order of this process, if it is such a program. */
export async function firstOrder<Order>(): Promise<Order> {
  const [order] = (await once(process, 'message')) as [Order]
  return order
}
