import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StudyMessage } from '@medloom/contracts'
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
async function service(status: string, serve: (((socket: WebSocket) => void) | null)[]) {
  const server = createServer((request, response) => {
    const known = request.url === '/api/studies/known'
    response.statusCode = known ? 200 : 404
    const error = { error: 'no such study', code: 'STUDY_NOT_FOUND', details: 'list them' }
    response.end(JSON.stringify(known ? { study_id: 'known', status } : error))
  })
  const upgrade = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const next = serve.shift()
    if (!next) return socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    return upgrade.handleUpgrade(request, socket, head, next)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  servers.push(server)
  return new MedloomClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const say = (...types: string[]) => {
  return (socket: WebSocket) => {
    for (const [index, type] of types.entries()) socket.send(JSON.stringify({ type, seq: index }))
    socket.close()
  }
}

async function seen(messages: AsyncIterable<StudyMessage>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of messages) types.push(type)
  return types
}

it('ends with the terminal message', async () => {
  const client = await service('running', [say('snapshot', 'training', 'completed')])
  expect(await seen(client.watchStudy('known'))).toEqual(['snapshot', 'training', 'completed'])
})

it('begins with a new snapshot after a lost connection', async () => {
  const client = await service('running', [say('snapshot', 'training'), say('snapshot', 'error')])
  expect(await seen(client.watchStudy('known'))).toEqual(['snapshot', 'training', 'snapshot', 'error'])
})

it('of a study that has ended ends where no socket can be opened', async () => {
  const client = await service('completed', [null])
  expect(await seen(client.watchStudy('known'))).toEqual(['snapshot'])
})

it('of an unknown study throws', async () => {
  const client = await service('running', [null])
  await expect(seen(client.watchStudy('unknown'))).rejects.toMatchObject({ code: 'STUDY_NOT_FOUND' })
})
