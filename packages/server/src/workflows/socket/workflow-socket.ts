import { SOCKETS, type WorkflowStatus } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { bindSnapshotSocket } from '../../live/snapshot-socket.js'
import { unknownWorkflow } from '../workflow-errors.js'
import type { WorkflowEvents } from './workflow-events.js'

export interface SocketParts {
  readonly events: WorkflowEvents
  readonly has: (workflowId: string) => Promise<boolean>
  readonly status: (workflowId: string) => Promise<WorkflowStatus>
}

/** /ws/workflow/{workflow_id}: stays open when a run ends, for the next run. */
export function bindWorkflowSocket(app: FastifyInstance, { events, has, status }: SocketParts): void {
  bindSnapshotSocket(app, {
    socket: SOCKETS.workflow,
    events,
    async admit(workflowId) {
      if (!(await has(workflowId))) throw unknownWorkflow()
    },
    async snapshot(workflow_id) {
      return { first: { type: 'snapshot', workflow_id, state: await status(workflow_id) } }
    },
  })
}
