import '@fastify/websocket'
import { LIMITS, phrase, type Socket } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { AppError } from '../errors.js'
import type { Follower } from './fan-out.js'
import { Heartbeat } from './heartbeat.js'
import type { LiveMessages } from './live-messages.js'

export interface SnapshotSocket {
  /** At most one parameter. */
  readonly socket: Socket
  readonly events: Pick<LiveMessages<never>, 'seq' | 'watch'>
  /** @throws AppError before the upgrade, for an item that does not exist. */
  admit(id: string): Promise<void>
  /**
   * Messages missed by a client that reconnects with `stream` and `since` in its address; null if they are not known: it gets a snapshot.
   */
  readonly missed?: (back: { readonly stream: string; readonly since: number }) => readonly object[] | null
  /** The current state: `first` opens the connection. If there is a `last`, it is sent too, and the connection is closed. */
  snapshot(id: string): Promise<{ readonly first: object; readonly last?: object | undefined }>
}

/**
 * A socket that sends one snapshot, then changes. A client that falls too far behind is closed with 1013 and reconnects for a new snapshot.
 */
export function bindSnapshotSocket(app: FastifyInstance, parts: SnapshotSocket): void {
  const { events } = parts
  const heartbeat = new Heartbeat(LIMITS.socket_ping_seconds)
  app.addHook('onClose', async () => heartbeat.stop())
  const preValidation = async (request: FastifyRequest) => {
    if (!request.ws) throw new AppError('ROUTE_NOT_FOUND', phrase('url_is_socket'), phrase('connect_with_ws'))
    await parts.admit(idOf(request))
  }
  const { path, access } = parts.socket
  const address = path.replaceAll(/\{(\w+)\}/g, ':$1')
  app.get(address, { websocket: true, preValidation, config: { access } }, (socket: WebSocket, request) => {
    const id = idOf(request)
    heartbeat.add(socket)
    const follower = followerOf(socket, request.raw.socket)
    const { join, leave } = events.watch(id, follower)
    socket.on('close', leave)
    const missed = missedBy(request, parts)
    if (missed) {
      for (const message of missed) socket.send(JSON.stringify(message))
      follower.cursor = events.seq(id)
      join()
      return
    }
    begin(socket, follower, id, parts, join).catch((error) => {
      app.log.error({ err: error, address: path, id }, 'an update could not be sent to a WebSocket client')
      socket.close(1011)
    })
  })
}

async function begin(
  socket: WebSocket,
  follower: Follower,
  id: string,
  { events, snapshot }: SnapshotSocket,
  join: () => boolean,
): Promise<void> {
  for (;;) {
    const seq = events.seq(id)
    const { first, last } = await snapshot(id)
    if (socket.readyState !== socket.OPEN) return
    // Messages published meanwhile may be missing in the state: read it again.
    if (events.seq(id) !== seq) continue
    const timestamp = new Date().toISOString()
    socket.send(JSON.stringify({ ...first, seq, timestamp }))
    if (last) {
      socket.send(JSON.stringify({ ...last, seq: seq + 1, timestamp }))
      return socket.close(1000)
    }
    follower.cursor = seq
    join()
    return
  }
}

function missedBy({ query }: FastifyRequest, { missed }: SnapshotSocket): readonly object[] | null {
  const { stream, since } = query as { stream?: unknown; since?: unknown }
  if (!missed || typeof stream !== 'string' || typeof since !== 'string' || !/^\d{1,15}$/.test(since))
    return null
  return missed({ stream, since: Number(since) })
}

function idOf({ params }: FastifyRequest): string {
  return Object.values(params as Record<string, string>)[0] ?? ''
}

function followerOf(socket: WebSocket, transport: import('node:net').Socket): Follower {
  return {
    cursor: 0,
    buffered: () => socket.bufferedAmount,
    send: (messages) => {
      transport.cork()
      for (const message of messages) socket.send(message, { binary: false })
      transport.uncork()
    },
    close: (code) => socket.close(code),
  }
}
