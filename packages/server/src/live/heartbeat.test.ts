import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { Heartbeat } from './heartbeat.js'

/** The first byte of the frame of a ping. */
const PING = /^\x89/

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

it('a connection that answers pings is kept, one that does not is dropped', async () => {
  const { port } = server.address() as AddressInfo
  const living = new WebSocket(`ws://127.0.0.1:${port}`)
  await once(living, 'open')
  // Completes the handshake and then sends nothing, like a machine that was switched off.
  const dead = connect(port, '127.0.0.1')
  dead.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const received: Buffer[] = []
  dead.on('data', (piece) => received.push(piece))
  await once(dead, 'close')
  // It was pinged before it was dropped.
  const [, frames] = Buffer.concat(received).toString('latin1').split('\r\n\r\n')
  expect(frames).toMatch(PING)
  for (let times = 0; times < 2; times++) await once(living, 'ping')
  expect(living.readyState).toBe(WebSocket.OPEN)
  expect(accepted.map((socket) => socket.readyState).sort()).toEqual([WebSocket.OPEN, WebSocket.CLOSED])
  living.close()
})
