import '@fastify/websocket'
import { LIMITS, SOCKETS, type WorkflowMessage, type WorkflowStatus } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { AppError } from '../../errors.js'
import type { Follower } from '../../training/socket/fan-out.js'
import { Heartbeat } from '../../training/socket/heartbeat.js'
import type { WorkflowEvents } from './workflow-events.js'

export interface SocketParts {
  readonly events: WorkflowEvents
  readonly has: (workflowId: string) => Promise<boolean>
  readonly status: (workflowId: string) => Promise<WorkflowStatus>
}

type SocketRequest = FastifyRequest<{ Params: { workflow_id: string } }>

/** /ws/workflow/{workflow_id}: one snapshot, then what changes. A client that falls too far behind is closed with 1013 and reconnects for a new snapshot. */
export function bindWorkflowSocket(app: FastifyInstance, { events, has, status }: SocketParts): void {
  const heartbeat = new Heartbeat(LIMITS.socket_ping_seconds)
  app.addHook('onClose', async () => heartbeat.stop())
  const admit = async (request: FastifyRequest) => {
    const { params, ws } = request as SocketRequest
    if (!ws)
      throw new AppError('ROUTE_NOT_FOUND', 'this address is a WebSocket', 'Connect with ws:// or wss://.')
    if (!(await has(params.workflow_id)))
      throw new AppError('WORKFLOW_NOT_FOUND', 'there is no workflow with this id')
  }
  const address = SOCKETS.workflow.replaceAll(/\{(\w+)\}/g, ':$1')
  app.get(address, { websocket: true, preValidation: admit }, (socket: WebSocket, request) => {
    const { workflow_id } = (request as SocketRequest).params
    heartbeat.add(socket)
    const follower = followerOf(socket, request.raw.socket)
    const { join, leave } = events.watch(workflow_id, follower)
    socket.on('close', leave)
    const begin = async () => {
      for (;;) {
        const seq = events.seq(workflow_id)
        const state = await status(workflow_id)
        if (socket.readyState !== socket.OPEN) return
        // Messages published meanwhile may be missing from the state: read it again.
        if (events.seq(workflow_id) !== seq) continue
        const snapshot: WorkflowMessage = {
          type: 'snapshot',
          workflow_id,
          seq,
          timestamp: new Date().toISOString(),
          state,
        }
        socket.send(JSON.stringify(snapshot))
        follower.cursor = seq
        join()
        return
      }
    }
    begin().catch((error) => {
      app.log.error({ err: error, workflow_id }, 'a subscriber of a workflow could not be served')
      socket.close(1011)
    })
  })
}

function followerOf(socket: WebSocket, transport: import('node:net').Socket): Follower {
  return {
    cursor: 0,
    buffered: () => socket.bufferedAmount,
    send: (messages) => {
      transport.cork()
      for (const message of messages) socket.send(message, { binary: false })
      transport.uncork()
    },
    close: (code) => socket.close(code),
  }
}
