import { createHash } from 'node:crypto'
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as open,
} from 'node:http'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { phrase } from '@medloom/contracts'
import {
  FORWARD_IDLE_MILLISECONDS,
  FORWARD_RETRY_MILLISECONDS,
  FORWARD_WAIT_MILLISECONDS,
} from '../../durations.js'
import { AppError } from '../../errors.js'
import {
  BODY_TRAILER,
  type Caller,
  type SignedRequest,
  signRequest,
} from '../../security/internal-requests.js'
import type { ControllerDirectory } from '../controller-directory.js'
import type { Controller } from '../controllers.repository.js'
import { ControllerProbes } from './controller-probe.js'

/** A request that ended this many controllers is not sent to another one. */
const MAX_BROKEN = 3

export interface Outgoing {
  readonly method: string
  /** Path with query. */
  readonly path: string
  /** Headers of the request itself, without a signature, which differs per attempt. */
  readonly headers: OutgoingHttpHeaders
  readonly caller: Caller
  readonly body: Buffer | Readable | null
  /** The controller itself checks the permission of the caller: its refusal is the response. */
  readonly judgedThere: boolean
  /** True if the request changes nothing. */
  readonly isRead: boolean
  /** True if it may be sent again after a broken connection, although it may have been executed. */
  readonly repeatable: boolean
}

/** Sends requests to the controller over persistent connections. */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #probes: ControllerProbes

  constructor(
    private readonly directory: Pick<ControllerDirectory, 'find' | 'changed' | 'onChange'>,
    private readonly waitMilliseconds = FORWARD_WAIT_MILLISECONDS,
    /** Time without a byte after which a response that has begun ends as incomplete. */
    readonly idleMilliseconds = FORWARD_IDLE_MILLISECONDS,
  ) {
    this.#probes = new ControllerProbes(waitMilliseconds)
  }

  /**
   * @param signal aborted when the caller has disconnected.
   * @throws AppError CONTROLLER_UNAVAILABLE when it was not executed, CONTROLLER_LOST when that is not known.
   */
  async send(outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
    const isStream = outgoing.body !== null && !Buffer.isBuffer(outgoing.body)
    let refusal = unavailable
    let deadline = Date.now() + this.waitMilliseconds
    for (let broken = 0; ; ) {
      const controller = await this.directory.find(deadline, signal)
      if (!controller) throw refusal()
      // A hung controller would later execute a request that is refused by now, so it gets none.
      const isAnswering = await this.#probes.get(controller).isAnswering(this.directory, signal)
      const attempt = isAnswering ? await this.#attempt(controller, outgoing, signal) : NOT_SENT
      if ('response' in attempt) {
        // Another program at the address of a former controller does not know its key.
        if (attempt.response.statusCode !== 401 || outgoing.judgedThere) return attempt.response
        if (isStream) {
          // The first part was already sent: the next controller would mistake the rest for the whole.
          attempt.response.destroy()
          throw lost()
        }
        attempt.response.resume()
      }
      if (attempt.sent) {
        broken += 1
        // Whatever happens to later attempts, this one may have been executed.
        if (!outgoing.isRead) refusal = lost
        if (attempt.isSilent) throw refusal()
        deadline = Date.now() + this.waitMilliseconds
        if (isStream || !outgoing.repeatable || broken >= MAX_BROKEN) throw lost()
      }
      if (signal.aborted || Date.now() >= deadline) throw refusal()
      await this.directory.changed(FORWARD_RETRY_MILLISECONDS, signal)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  /** `sent`: the connection broke after the request had begun to be sent; `isSilent`: because the controller hangs. */
  #attempt(
    controller: Controller,
    { method, path, headers: given, caller, body }: Outgoing,
    signal: AbortSignal,
  ): Promise<Attempt> {
    return new Promise((resolve) => {
      let sent = false
      let isSilent = false
      const signed = signRequest(controller.internalKey, { method, target: path, caller, body })
      const headers = { ...given, ...signed.headers, ...(signed.trailerOf ? TRAILED : {}) }
      // The path is never resolved against the address, so it cannot name another host.
      const origin = urlToHttpOptions(new URL(controller.address))
      const request = open({ ...origin, path, method, headers, agent: this.#agent, signal })
      // A vanished host does not close its connections.
      const stop = this.directory.onChange((now) => {
        if (now && now.fence > controller.fence) request.destroy(new Error('there is another controller'))
      })
      const probe = this.#probes.get(controller)
      const unwatch = probe.watch(() => {
        isSilent = true
        request.destroy(new Error('the controller does not respond'))
      })
      request.once('socket', (socket) => {
        const begin = () => {
          sent = true
          if (body === null || Buffer.isBuffer(body)) request.end(body)
          else stream(body, request, signed)
        }
        if (socket.connecting) socket.once('connect', begin)
        else begin()
      })
      request.once('response', (response) => {
        // Another program at the address of a former controller refuses the request.
        if (response.statusCode !== 401) probe.note()
        resolve({ response, sent: false })
      })
      request.once('error', () => resolve({ sent, isSilent }))
      request.once('close', () => {
        stop()
        unwatch()
      })
    })
  }
}

type Attempt =
  | { readonly response: IncomingMessage; readonly sent: false }
  | { readonly sent: boolean; readonly isSilent: boolean }

const NOT_SENT: Attempt = { sent: false, isSilent: false }

/** A body whose digest follows it is sent in chunks. */
const TRAILED = { 'transfer-encoding': 'chunked', trailer: BODY_TRAILER }

function stream(body: Readable, request: ClientRequest, { trailerOf }: SignedRequest): void {
  const hash = createHash('sha256')
  body.on('data', (piece: Buffer) => hash.update(piece))
  // Registered before the listener of the pipe, which ends the request.
  body.once('end', () => request.addTrailers({ [BODY_TRAILER]: trailerOf?.(hash) ?? '' }))
  body.pipe(request)
}

export function unavailable(): AppError {
  return new AppError('CONTROLLER_UNAVAILABLE', phrase('no_controller_responds'))
}

function lost(): AppError {
  return new AppError('CONTROLLER_LOST', phrase('controller_ended'))
}
