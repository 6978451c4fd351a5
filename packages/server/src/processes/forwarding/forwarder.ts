import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as open } from 'node:http'
import type { Readable } from 'node:stream'
import { AppError } from '../../errors.js'
import type { ControllerDirectory } from '../controller-directory.js'
import type { Controller } from '../controllers.repository.js'

/** How long a request waits for a controller, or for the next one. */
export const WAIT_MILLISECONDS = 10_000
/** Between two attempts while the controller is not reached. */
const PAUSE_MILLISECONDS = 250
/** A request that a controller did not survive that often is not given to another one. */
const MAX_BROKEN = 3

export interface Outgoing {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Those of the request itself; what shows who sends it is given for each controller. */
  readonly headersFor: (controller: Controller) => OutgoingHttpHeaders
  readonly body: Buffer | Readable | null
  /** The controller itself decides whether the caller may: its refusal is the answer. */
  readonly judgedThere: boolean
  /** Whether it changes nothing. */
  readonly isRead: boolean
  /** Whether it may be sent again after a connection has broken, although it may have been carried out. */
  readonly repeatable: boolean
}

/** Sends requests to the controller, over connections that stay open. */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true })

  constructor(
    private readonly directory: Pick<ControllerDirectory, 'find' | 'changed' | 'onChange'>,
    private readonly waitMilliseconds = WAIT_MILLISECONDS,
  ) {}

  /**
   * @param signal aborted when the caller has left.
   * @throws AppError CONTROLLER_UNAVAILABLE when it was not carried out, CONTROLLER_LOST when that is not known.
   */
  async send(outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
    const isStream = outgoing.body !== null && !Buffer.isBuffer(outgoing.body)
    let refusal = unavailable
    let deadline = Date.now() + this.waitMilliseconds
    for (let broken = 0; ; ) {
      const controller = await this.directory.find(deadline, signal)
      if (!controller) throw refusal()
      const attempt = await this.#attempt(controller, outgoing, signal)
      if ('response' in attempt) {
        // Whoever listens at the address of a controller that is gone does not know its key.
        if (attempt.response.statusCode !== 401 || outgoing.judgedThere) return attempt.response
        if (isStream) {
          // Its beginning has left: the next one would take the rest for the whole.
          attempt.response.destroy()
          throw lost()
        }
        attempt.response.resume()
      }
      if (attempt.sent) {
        broken += 1
        // Whatever later attempts meet, this one may have been carried out.
        if (!outgoing.isRead) refusal = lost
        deadline = Date.now() + this.waitMilliseconds
        if (isStream || !outgoing.repeatable || broken >= MAX_BROKEN) throw lost()
      }
      if (signal.aborted || Date.now() >= deadline) throw refusal()
      await this.directory.changed(PAUSE_MILLISECONDS, signal)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  /** `sent`: the connection broke after the request had begun to leave. */
  #attempt(
    controller: Controller,
    { method, path, headersFor, body }: Outgoing,
    signal: AbortSignal,
  ): Promise<{ readonly response: IncomingMessage; readonly sent: false } | { readonly sent: boolean }> {
    return new Promise((resolve) => {
      let sent = false
      const headers = headersFor(controller)
      const request = open(new URL(path, controller.address), { method, headers, agent: this.#agent, signal })
      // A host that vanished breaks no connection.
      const stop = this.directory.onChange((now) => {
        if (now && now.fence > controller.fence) request.destroy(new Error('there is another controller'))
      })
      request.once('socket', (socket) => {
        const begin = () => {
          sent = true
          if (body === null || Buffer.isBuffer(body)) request.end(body)
          else body.pipe(request)
        }
        if (socket.connecting) socket.once('connect', begin)
        else begin()
      })
      request.once('response', (response) => resolve({ response, sent: false }))
      request.once('error', () => resolve({ sent }))
      request.once('close', stop)
    })
  }
}

export function unavailable(): AppError {
  return new AppError('CONTROLLER_UNAVAILABLE', 'no controller answers at the moment')
}

function lost(): AppError {
  return new AppError('CONTROLLER_LOST', 'the controller ended while it worked on this request')
}
