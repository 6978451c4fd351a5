import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { NodeState, WorkflowMessage } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { type WebSocket as Socket, WebSocketServer } from 'ws'

const PER_SECOND = 200
const BATCH_MILLISECONDS = 50
const TIME = '2026-01-02T03:04:05.000Z'

/** A run that reports its nodes much faster than any real one: the page connects to it instead of the service. */
export class FastRun {
  readonly #server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  readonly #run = { workflow_id: '', run_id: randomUUID() }
  #socket: Socket | undefined
  #seq = 0

  constructor(
    workflow_id: string,
    private readonly nodes: readonly string[],
  ) {
    this.#run.workflow_id = workflow_id
    this.#server.on('connection', (socket) => {
      this.#socket = socket
      this.#send({
        type: 'snapshot',
        workflow_id,
        seq: this.#seq,
        timestamp: TIME,
        state: {
          workflow_id,
          run_id: this.#run.run_id,
          status: 'running',
          progress: 0,
          nodes: Object.fromEntries(nodes.map((node) => [node, stateOf('pending')])),
        },
      } as WorkflowMessage)
    })
  }

  /** Called before the page is opened. The page must allow other origins. */
  async lead(page: Page): Promise<void> {
    if (!this.#server.address()) await once(this.#server, 'listening')
    const { port } = this.#server.address() as { port: number }
    await page.addInitScript((address) => {
      const Native = WebSocket
      globalThis.WebSocket = class extends Native {
        constructor(given: string | URL, protocols?: string | string[]) {
          super(String(given).includes('/ws/workflow/') ? address : given, protocols)
        }
      }
    }, `ws://127.0.0.1:${port}`)
  }

  /** Sends messages for this number of seconds. */
  async sendMessages(seconds: number): Promise<void> {
    if (this.#socket === undefined) throw new Error('the page does not listen to the run')
    const batch = (PER_SECOND * BATCH_MILLISECONDS) / 1000
    const statuses = ['running', 'success'] as const
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      for (let index = 0; index < batch; index++) {
        const node = this.nodes[this.#seq % this.nodes.length] ?? ''
        const status = statuses[Math.floor(this.#seq / this.nodes.length) % 2] ?? 'running'
        const envelope = { ...this.#run, seq: ++this.#seq, timestamp: TIME }
        this.#send({ type: 'node_status', ...envelope, node, state: stateOf(status) })
      }
      await new Promise((resume) => setTimeout(resume, BATCH_MILLISECONDS))
    }
  }

  close(): void {
    this.#socket?.terminate()
    this.#server.close()
  }

  #send(message: WorkflowMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }
}

function stateOf(status: NodeState['status']): NodeState {
  const details = { reason: null, message: null, error: null, started_at: TIME, duration: null, outputs: {} }
  return { status, progress: 0, ...details }
}
