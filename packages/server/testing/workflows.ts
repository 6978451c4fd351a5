import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanStep, WorkflowMessage, WorkflowResponse, WorkflowStatus } from '@medloom/contracts'
import { WebSocket } from 'ws'
import { PATIENCE } from '../../../scripts/testing/patience.mjs'
import { startService } from '../src/service.js'
import type { Settings } from '../src/settings.js'
import { eventually } from './eventually.js'
import { migratedFile } from './migrated-file.js'
import { testSettings } from './service.js'
import type { Place } from './training/training-service.js'

export { type Drawn, draw } from './draw.js'

/** A service whose worker and trainer are small programs in place of Python. */
export async function startWorkflowService(
  place: Pick<Place, 'root' | 'dataDir'>,
  settings: Partial<Settings> = {},
) {
  if (!settings.databaseUrl) await migratedFile(join(place.dataDir, 'medloom.db'))
  const service = await startService({
    ...testSettings(),
    dataDir: place.dataDir,
    roots: [place.root],
    python: join(import.meta.dirname, 'node-worker.mjs'),
    stopGraceSeconds: 5,
    ...settings,
  })
  const send = async <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) => {
    const response = await fetch(service.address + path, {
      method,
      ...(body === undefined
        ? {}
        : {
            headers: { 'content-type': 'application/json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  const status = async (id: string) => (await send<WorkflowStatus>('GET', `/api/workflow/${id}/status`)).body
  const until = (id: string, reached: (state: WorkflowStatus) => boolean): Promise<WorkflowStatus> =>
    eventually(() => status(id), reached, { every: 40, within: PATIENCE.serviceTest })
  const ended = (id: string) => until(id, (state) => ['success', 'error', 'cancelled'].includes(state.status))
  const execute = (id: string, request: object = {}) =>
    send<{ run_id: string; code?: string }>('POST', `/api/workflow/${id}/execute`, request)
  return {
    ...service,
    send,
    status,
    until,
    ended,
    execute,
    create: async (workflow: object) =>
      (await send<WorkflowResponse>('POST', '/api/workflow/create', workflow)).body.workflow_id,
    replace: async (id: string, workflow: object) =>
      (await send<WorkflowResponse>('PUT', `/api/workflow/${id}`, workflow)).body,
    run: async (id: string, request: object = {}) => {
      const { status: code, body } = await execute(id, request)
      if (code !== 200) throw new Error(JSON.stringify(body))
      return ended(id)
    },
    plan: async (id: string, request: object = {}) => {
      const { body } = await send<{ steps: PlanStep[] }>('POST', `/api/workflow/${id}/plan`, request)
      return Object.fromEntries(body.steps.map(({ node, reason }) => [node, reason]))
    },
    cancel: (id: string) => send<{ status: string; code?: string }>('POST', `/api/workflow/${id}/cancel`),
    /** Types of the nodes that a worker has computed so far. */
    computed: () => {
      const log = join(place.dataDir, 'cache', 'computed.log')
      return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
    },
    listen: (id: string) => listen(`${service.address.replace('http', 'ws')}/ws/workflow/${id}`),
  }
}

export function statusesOf({ nodes }: WorkflowStatus): Record<string, string> {
  return Object.fromEntries(Object.entries(nodes).map(([id, { status }]) => [id, status]))
}

function listen(address: string) {
  const socket = new WebSocket(address)
  const messages: WorkflowMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  socket.on('error', () => undefined)
  const refused = new Promise<number>((done) =>
    socket.on('unexpected-response', (_request, { statusCode }) => done(statusCode ?? 0)),
  )
  return { socket, messages, refused }
}
