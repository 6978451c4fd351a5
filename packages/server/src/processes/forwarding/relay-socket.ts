import '@fastify/websocket'
import { LIMITS, phrase, SOCKETS } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { WebSocket } from 'ws'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import {
  FORWARD_RETRY_MILLISECONDS,
  FORWARD_WAIT_MILLISECONDS,
  SLOW_READER_POLL_MILLISECONDS,
} from '../../durations.js'
import { AppError } from '../../errors.js'
import { Heartbeat } from '../../live/heartbeat.js'
import { signRequest } from '../../security/internal-requests.js'
import type { ControllerDirectory } from '../controller-directory.js'
import type { Controller } from '../controllers.repository.js'
import { type ControllerProbe, ControllerProbes } from './controller-probe.js'
import { unavailable } from './forwarder.js'

/** Sockets whose messages exist only in the memory of the controller. */
export const RELAYED_SOCKETS = [SOCKETS.service, SOCKETS.studies, SOCKETS.workflow]

/** RFC 6455 and its registry: the server restarts; the client reconnects. */
const SERVICE_RESTART = 1012
/** Limit of unsent data for the client; above it, the controller is not read, and sees that its follower is slow. */
const MAX_BUFFERED = 256 * 1024

type SocketDeclaration = (typeof SOCKETS)[keyof typeof SOCKETS]

export interface RelayOptions {
  readonly directory: Pick<ControllerDirectory, 'find' | 'changed' | 'onChange'>
  readonly waitMilliseconds?: number | undefined
}

/** Sockets of the controller: its messages and close codes are passed on. */
export function relaySockets(
  app: FastifyInstance,
  declared: readonly SocketDeclaration[],
  options: RelayOptions,
): void {
  const heartbeat = new Heartbeat(LIMITS.socket_ping_seconds)
  const probes = new ControllerProbes(options.waitMilliseconds ?? FORWARD_WAIT_MILLISECONDS)
  app.addHook('onClose', async () => heartbeat.stop())
  const opened = new WeakMap<FastifyRequest, WebSocket>()
  for (const { path, access } of declared)
    app.route({
      method: 'GET',
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { access },
      // Before the upgrade, so that the client receives a refusal of the controller.
      async preValidation(request, reply) {
        if (!request.ws)
          throw new AppError('ROUTE_NOT_FOUND', phrase('url_is_socket'), phrase('connect_with_ws'))
        const outcome = await openAtController(request, { ...options, probes })
        if ('socket' in outcome) opened.set(request, outcome.socket)
        else
          await reply
            .code(outcome.status)
            .type(outcome.type ?? 'application/json; charset=utf-8')
            .send(outcome.body)
      },
      handler: () => undefined,
      wsHandler(socket: WebSocket, request) {
        heartbeat.add(socket)
        const source = opened.get(request)
        if (source) relay(source, socket)
        else socket.close(SERVICE_RESTART)
      },
    })
}

interface Refusal {
  readonly status: number
  readonly type: string | undefined
  readonly body: Buffer
}

/** @throws AppError CONTROLLER_UNAVAILABLE */
async function openAtController(
  request: FastifyRequest,
  {
    directory,
    probes,
    waitMilliseconds = FORWARD_WAIT_MILLISECONDS,
  }: RelayOptions & { readonly probes: ControllerProbes },
): Promise<{ readonly socket: WebSocket } | Refusal> {
  const abort = new AbortController()
  request.raw.socket.once('close', () => abort.abort())
  for (const deadline = Date.now() + waitMilliseconds; ; ) {
    const controller = await directory.find(deadline, abort.signal)
    if (!controller) throw unavailable()
    const probe = probes.get(controller)
    const isAnswering = await probe.isAnswering(directory, abort.signal)
    const outcome = isAnswering ? await connect(controller, request, waitMilliseconds) : null
    if (outcome && ('socket' in outcome || outcome.status !== 401)) {
      if ('socket' in outcome)
        endWith(outcome.socket, { controller, probe, directory, clientLeft: abort.signal })
      return outcome
    }
    if (abort.signal.aborted || Date.now() >= deadline) throw unavailable()
    await directory.changed(FORWARD_RETRY_MILLISECONDS, abort.signal)
  }
}

/** @returns null when the controller cannot be reached. The socket is paused. */
function connect(
  controller: Controller,
  request: FastifyRequest,
  handshakeTimeout: number,
): Promise<{ readonly socket: WebSocket } | Refusal | null> {
  // The path is set, never resolved against the address, so it cannot name another host.
  const address = new URL(controller.address.replace(/^http/, 'ws'))
  const [path = '', query = ''] = request.url.split(/\?(.*)/s)
  address.pathname = path
  address.search = query
  address.searchParams.delete('token')
  const signed = signRequest(controller.internalKey, {
    method: 'GET',
    target: address.pathname + address.search,
    caller: { actor: request.actor, address: request.ip },
  })
  const headers = { 'x-request-id': request.id, ...signed.headers }
  return new Promise((resolve) => {
    const socket = new WebSocket(address, { headers, perMessageDeflate: false, handshakeTimeout })
    socket.once('open', () => {
      socket.pause()
      resolve({ socket })
    })
    socket.on('error', () => resolve(null))
    socket.once('unexpected-response', (_, response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.once('close', () => {
        const { statusCode: status = 502, headers } = response
        resolve({ status, type: headers['content-type'], body: Buffer.concat(pieces) })
      })
    })
  })
}

/** The connection ends with its client, and with its controller even if that hangs or its host vanished without closing connections. */
function endWith(
  socket: WebSocket,
  {
    controller,
    probe,
    directory,
    clientLeft,
  }: {
    readonly controller: Controller
    readonly probe: ControllerProbe
    readonly directory: RelayOptions['directory']
    readonly clientLeft: AbortSignal
  },
): void {
  const end = () => socket.terminate()
  const stop = directory.onChange((now) => {
    if (now && now.fence > controller.fence) end()
  })
  const unwatch = probe.watch(end)
  clientLeft.addEventListener('abort', end, { once: true })
  socket.once('close', () => {
    stop()
    unwatch()
  })
}

function relay(source: WebSocket, client: WebSocket): void {
  let endDraining: (() => void) | undefined
  source.on('message', (message, isBinary) => {
    client.send(message as Buffer, { binary: isBinary })
    if (endDraining || client.bufferedAmount <= MAX_BUFFERED) return
    source.pause()
    endDraining = repeatEvery(SLOW_READER_POLL_MILLISECONDS, () => {
      if (client.bufferedAmount > MAX_BUFFERED / 2) return
      endDraining?.()
      endDraining = undefined
      source.resume()
    })
  })
  source.once('close', (code) => {
    endDraining?.()
    client.close(isSendable(code) ? code : SERVICE_RESTART)
  })
  client.once('close', () => {
    endDraining?.()
    source.close()
  })
  source.resume()
}

/** RFC 6455, 7.4: the other codes mean that a connection broke and must not be sent. */
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || code >= 3000
}
