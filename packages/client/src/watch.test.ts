/** @module-tag service */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JobMessage } from '@medloom/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { MedloomClient, type WatchOptions } from './node.js'

/** A small service: stores messages, sends those after `since` on a socket, and can be stopped and restarted on its port. */
class Service {
  messages: JobMessage[] = []
  status = 'running'
  queries: string[] = []
  socketsAllowed = true
  #server: Server | undefined
  #sockets = new Set<WebSocket>()
  port = 0

  async start() {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://x')
      const answer = (status: number, body: object) => {
        response.statusCode = status
        response.end(JSON.stringify(body))
      }
      if (!url.pathname.startsWith('/api/training/known/'))
        return answer(404, { error: 'no such job', code: 'JOB_NOT_FOUND', details: 'list them' })
      if (url.pathname.endsWith('/status')) return answer(200, { status: this.status })
      const since = Number(url.searchParams.get('since'))
      return answer(200, { events: this.messages.filter((message) => message.seq > since).slice(0, 2) })
    })
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      const url = new URL(request.url ?? '', 'http://x')
      if (!this.socketsAllowed || url.pathname !== '/ws/training/known')
        return socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      return sockets.handleUpgrade(request, socket, head, (client) => {
        this.queries.push(url.search)
        this.#sockets.add(client)
        for (const message of this.messages)
          if (message.seq > Number(url.searchParams.get('since'))) client.send(JSON.stringify(message))
      })
    })
    await new Promise<void>((ready) => server.listen(this.port, '127.0.0.1', ready))
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  say(type: JobMessage['type'], { live = true } = {}) {
    const message = { type, job_id: 'known', seq: this.messages.length + 1 } as JobMessage
    this.messages.push(message)
    if (live) for (const socket of this.#sockets) socket.send(JSON.stringify(message))
  }

  repeat(seq: number) {
    for (const socket of this.#sockets) socket.send(JSON.stringify(this.messages[seq - 1]))
  }

  drop() {
    for (const socket of this.#sockets) socket.terminate()
    this.#sockets.clear()
  }

  async stop() {
    this.drop()
    this.#server?.closeAllConnections()
    await new Promise((done) => this.#server?.close(done))
  }
}

const services: Service[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

async function started(): Promise<Service> {
  const service = new Service()
  services.push(service)
  await service.start()
  return service
}

function watch(service: Service, options: WatchOptions = {}, job = 'known') {
  return new MedloomClient({ baseUrl: `http://127.0.0.1:${service.port}` }).watch(job, options)
}

/** Sequence numbers of the arriving messages; `during` runs when the n-th has arrived. */
async function seqs(messages: AsyncIterable<JobMessage>, during: Record<number, () => unknown> = {}) {
  const seen: number[] = []
  for await (const message of messages) {
    seen.push(message.seq)
    await during[message.seq]?.()
  }
  return seen
}

describe('watching a job', () => {
  it('gives kept and live messages and ends after the terminal one', async () => {
    const service = await started()
    service.say('progress')
    expect(
      await seqs(watch(service), { 1: () => service.say('validation'), 2: () => service.say('completed') }),
    ).toEqual([1, 2, 3])
  })

  it('survives a restart of the service: nothing lost, nothing twice', async () => {
    const service = await started()
    const states: string[] = []
    service.say('progress')
    const restart = async () => {
      await service.stop()
      service.say('progress')
      service.say('validation')
      service.say('epoch_end')
      setTimeout(() => service.start(), 700)
      setTimeout(() => service.say('completed'), 1500)
    }
    const onConnection = (state: string) => states.push(state)
    expect(await seqs(watch(service, { onConnection }), { 1: restart })).toEqual([1, 2, 3, 4, 5])
    expect(states).toEqual(['lost', 'restored'])
    expect(service.queries.slice(1).every((query) => /^\?since=[1-4]$/.test(query))).toBe(true)
  })

  it('gives a repeated message once', async () => {
    const service = await started()
    service.say('progress')
    const again = () => {
      service.repeat(1)
      service.say('completed')
    }
    expect(await seqs(watch(service), { 1: again })).toEqual([1, 2])
  })

  it('resumes by since', async () => {
    const service = await started()
    for (const type of ['progress', 'progress', 'completed'] as const) service.say(type)
    expect(await seqs(watch(service, { since: 1 }))).toEqual([2, 3])
  })

  it('reads the events over HTTP where sockets are not let through', async () => {
    const service = await started()
    service.socketsAllowed = false
    for (const type of ['progress', 'progress', 'validation', 'error'] as const) service.say(type)
    expect(await seqs(watch(service))).toEqual([1, 2, 3, 4])
  })

  it('ends when the job has ended and nothing follows since', async () => {
    const service = await started()
    service.say('completed')
    service.status = 'completed'
    const ended = seqs(watch(service, { since: 1 }))
    setTimeout(() => service.drop(), 100)
    expect(await ended).toEqual([])
  })

  it('throws for an unknown job, and when nobody answers for long', async () => {
    const service = await started()
    await expect(seqs(watch(service, {}, 'unknown'))).rejects.toMatchObject({
      code: 'JOB_NOT_FOUND',
      http: 404,
    })
    await service.stop()
    await expect(seqs(watch(service, { reconnectTimeoutSeconds: 0.3 }))).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
  })

  it('ends without an error when the caller aborts, also while waiting to connect again', async () => {
    const service = await started()
    service.say('progress')
    const first = new AbortController()
    expect(await seqs(watch(service, { signal: first.signal }), { 1: () => first.abort() })).toEqual([1])
    await service.stop()
    expect(await seqs(watch(service, { signal: AbortSignal.timeout(300) }))).toEqual([])
  })
})
