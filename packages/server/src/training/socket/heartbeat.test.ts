import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { Heartbeat } from './heartbeat.js'

let server: WebSocketServer
let heartbeat: Heartbeat
const accepted: WebSocket[] = []
beforeEach(async () => {
  heartbeat = new Heartbeat(0.2)
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    accepted.push(socket)
    heartbeat.add(socket)
  })
  await once(server, 'listening')
})
afterEach(() => {
  heartbeat.stop()
  server.close()
})

it('a connection that answers pings stays, one that does not is dropped', async () => {
  const { port } = server.address() as AddressInfo
  const living = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(living, 'open')
  // Speaks the handshake and then nothing more, like a machine that was switched off.
  const dead = connect(port, '127.0.0.1')
  dead.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  dead.resume()
  const before = performance.now()
  await once(dead, 'close')
  expect(performance.now() - before).toBeGreaterThan(200)
  await delay(500)
  expect(living.readyState).toBe(WebSocket.OPEN)
  expect(accepted.map((socket) => socket.readyState).sort()).toEqual([WebSocket.OPEN, WebSocket.CLOSED])
  living.close()
})
