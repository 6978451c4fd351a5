import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { MedloomClient } from './node.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A service whose sockets follow `serve`, one after the other; null refuses the upgrade. */
async function service(serve: (((socket: WebSocket) => void) | null)[]) {
  const opened: string[] = []
  const server = createServer((_, response) => response.end(JSON.stringify({ version: 'over HTTP' })))
  const upgrade = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    opened.push(request.url ?? '')
    const next = serve.shift()
    if (!next) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    return upgrade.handleUpgrade(request, socket, head, next)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  servers.push(server)
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: new MedloomClient({ baseUrl }), opened }
}

const say = (...messages: object[]) => {
  return (socket: WebSocket) => {
    for (const message of messages) socket.send(JSON.stringify(message))
    socket.close()
  }
}

async function seen(client: MedloomClient, count: number): Promise<[string, number][]> {
  const messages: [string, number][] = []
  for await (const { type, seq } of client.watchService()) if (messages.push([type, seq]) === count) break
  return messages
}

it('continues after the last message that it received, and starts again with a new snapshot', async () => {
  const { client, opened } = await service([
    say({ type: 'snapshot', stream: 'a', seq: 7 }, { type: 'job', seq: 8 }),
    say({ type: 'job', seq: 8 }, { type: 'removed', seq: 9 }),
    say({ type: 'snapshot', stream: 'b', seq: 2 }, { type: 'usage', seq: 3 }),
  ])
  expect(await seen(client, 5)).toEqual([
    ['snapshot', 7],
    ['job', 8],
    ['removed', 9],
    ['snapshot', 2],
    ['usage', 3],
  ])
  expect(opened).toEqual(['/ws/service', '/ws/service?stream=a&since=8', '/ws/service?stream=a&since=9'])
})

it('returns the state over HTTP if no socket opens, and requests a complete snapshot then', async () => {
  const { client, opened } = await service([null, say({ type: 'snapshot', stream: 'a', seq: 3 })])
  expect(await seen(client, 2)).toEqual([
    ['snapshot', 0],
    ['snapshot', 3],
  ])
  expect(opened).toEqual(['/ws/service', '/ws/service'])
})
