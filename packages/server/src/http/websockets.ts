import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'

/** Nobody sends much to this service over a socket: what clients say is ignored. */
const LARGEST_MESSAGE = 64 * 1024
/** RFC 6455: the other side goes away, and it is worth coming back. */
const GOING_AWAY = 1001
/** A client that does not answer the close does not hold up the end. */
const PATIENCE_MILLISECONDS = 2000

/** Upgrades go through the router like requests; sockets that are open when the service ends are told so. */
export async function registerWebSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: LARGEST_MESSAGE },
    preClose(done) {
      const server = app.websocketServer
      const late = setTimeout(() => {
        for (const socket of server.clients) socket.terminate()
      }, PATIENCE_MILLISECONDS)
      // From here on upgrades are refused; it is closed once the last client has gone.
      server.close(() => {
        clearTimeout(late)
        done()
      })
      for (const socket of server.clients) socket.close(GOING_AWAY, 'the service ends')
    },
  })
}
