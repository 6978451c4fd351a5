import type { Socket } from 'node:net'
import websocket from '@fastify/websocket'
import { phrase } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { after } from '../concurrency/timer.js'
import { CLOSE_SOCKET_MILLISECONDS } from '../durations.js'
import { refuseRaw } from './raw-refusal.js'

/** Messages of clients are ignored. */
const MAX_MESSAGE_BYTES = 64 * 1024
/** RFC 6455: the server goes away; the client should reconnect. */
const GOING_AWAY = 1001
const VERSION = '13'

/** Upgrades go through the router like requests; at shutdown open sockets are closed with 1001. */
export async function registerWebSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES },
    preClose(done) {
      const server = app.websocketServer
      const cancel = after(CLOSE_SOCKET_MILLISECONDS, () => {
        for (const socket of server.clients) socket.terminate()
      })
      // Upgrades are refused from now on; the callback runs when the last client has disconnected.
      server.close(() => {
        cancel()
        done()
      })
      for (const socket of server.clients) socket.close(GOING_AWAY, 'the service is shutting down')
    },
  })
  // RFC 6455, 4.4: the response to another version names the supported one.
  app.websocketServer.on('wsClientError', (error: Error, socket: Socket) =>
    refuseRaw(socket, {
      message: phrase('handshake_invalid', { error: error.message }),
      details: phrase('connect_with_client', { version: VERSION }),
      headers: { 'sec-websocket-version': VERSION },
    }),
  )
}
