import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunStatus, WorkflowMessage } from '@medloom/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { MedloomClient, type WatchWorkflowOptions } from './node.js'

/** A small service: sends a snapshot on each socket, then the messages of the test, and can be stopped and restarted on its port. */
class Service {
  runId: string | null = 'run-1'
  status: RunStatus = 'running'
  seq = 0
  socketsAllowed = true
  sockets = new Set<WebSocket>()
  port = 0
  #server: Server | undefined

  async start() {
    const server = createServer((request, response) => {
      const known = request.url === '/api/workflow/known/status'
      response.statusCode = known ? 200 : 404
      const error = { error: 'no such workflow', code: 'WORKFLOW_NOT_FOUND', details: 'list them' }
      response.end(JSON.stringify(known ? this.state() : error))
    })
    const upgrade = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      if (!this.socketsAllowed || request.url !== '/ws/workflow/known')
        return socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      return upgrade.handleUpgrade(request, socket, head, (client) => {
        this.sockets.add(client)
        client.send(JSON.stringify({ type: 'snapshot', seq: this.seq, state: this.state() }))
      })
    })
    await new Promise<void>((ready) => server.listen(this.port, '127.0.0.1', ready))
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  state = () => ({ workflow_id: 'known', run_id: this.runId, status: this.status, progress: 0, nodes: {} })

  say(message: object, seq = ++this.seq) {
    for (const socket of this.sockets) socket.send(JSON.stringify({ run_id: this.runId, seq, ...message }))
  }

  becomes(status: RunStatus) {
    this.status = status
    this.say({ type: 'run_status', status })
  }

  async stop() {
    for (const socket of this.sockets) socket.terminate()
    this.sockets.clear()
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

const watch = (service: Service, options: WatchWorkflowOptions = {}, workflow = 'known') =>
  new MedloomClient({ baseUrl: `http://127.0.0.1:${service.port}` }).watchWorkflow(workflow, options)

/** Arriving messages in short form; `during` runs after the given number of messages. */
async function seen(
  messages: AsyncIterable<WorkflowMessage>,
  during: Record<number, () => unknown> = {},
): Promise<string[]> {
  const all: string[] = []
  for await (const message of messages) {
    all.push(message.type === 'snapshot' ? 'snapshot' : `${message.type} ${message.seq}`)
    await during[all.length]?.()
  }
  return all
}

describe('watching a workflow', () => {
  it('gives a snapshot, then every change, and ends with the run', async () => {
    const service = await started()
    const during = {
      1: () => service.say({ type: 'node_status', node: 'a' }),
      2: () => service.becomes('success'),
    }
    expect(await seen(watch(service, { runId: 'run-1' }), during)).toEqual([
      'snapshot',
      'node_status 1',
      'run_status 2',
    ])
  })

  it('gives no change twice that the snapshot held already', async () => {
    const service = await started()
    service.seq = 5
    const again = () => {
      service.say({ type: 'node_status', node: 'a' }, 5)
      service.becomes('error')
    }
    expect(await seen(watch(service, { runId: 'run-1' }), { 1: again })).toEqual(['snapshot', 'run_status 6'])
  })

  it('survives a restart of the service, which restarts the count', async () => {
    const service = await started()
    const states: string[] = []
    const restart = async () => {
      await service.stop()
      service.seq = 0
      setTimeout(() => service.start(), 500)
    }
    const succeed = async () => {
      await expect.poll(() => service.sockets.size).toBe(1)
      service.becomes('success')
    }
    const during = {
      1: () => service.say({ type: 'node_status', node: 'a' }),
      2: restart,
      3: () => void succeed(),
    }
    const onConnection = (state: string) => states.push(state)
    const messages = await seen(watch(service, { runId: 'run-1', onConnection }), during)
    // The status over HTTP is another snapshot if the service returns between two attempts at the socket.
    expect(messages.filter((message, i) => message !== messages[i - 1])).toEqual([
      'snapshot',
      'node_status 1',
      'snapshot',
      'run_status 1',
    ])
    expect(states).toEqual(['lost', 'restored'])
  })

  it('ends at once when the run has ended already, or another has begun', async () => {
    const service = await started()
    service.status = 'cancelled'
    expect(await seen(watch(service, { runId: 'run-1' }))).toEqual(['snapshot'])
    service.status = 'running'
    expect(await seen(watch(service, { runId: 'run-0' }))).toEqual(['snapshot'])
  })

  it('follows one run after the other if none is named, until it is closed', async () => {
    const service = await started()
    const end = new AbortController()
    const next = () => {
      service.becomes('success')
      service.runId = 'run-2'
      service.becomes('running')
    }
    const messages = watch(service, { signal: end.signal })
    expect(await seen(messages, { 1: next, 3: () => end.abort() })).toEqual([
      'snapshot',
      'run_status 1',
      'run_status 2',
    ])
  })

  it('requests the status over HTTP where sockets are blocked', async () => {
    const service = await started()
    service.socketsAllowed = false
    const during = {
      1: () => {
        service.status = 'success'
      },
    }
    expect(await seen(watch(service, { runId: 'run-1' }), during)).toEqual(['snapshot', 'snapshot'])
  })

  it('throws for an unknown workflow, and when nobody answers for long', async () => {
    const service = await started()
    await expect(seen(watch(service, {}, 'unknown'))).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' })
    await service.stop()
    await expect(seen(watch(service, { reconnectTimeoutSeconds: 0.3 }))).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
  })
})
