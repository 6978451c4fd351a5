import type { WorkflowMessage } from '@medloom/contracts'
import { LiveMessages } from '../../live/live-messages.js'

type Delta = Exclude<WorkflowMessage, { type: 'snapshot' }>

/** Live messages of workflows. */
export class WorkflowEvents extends LiveMessages<Delta> {
  constructor() {
    super(({ workflow_id }) => workflow_id)
  }
}
