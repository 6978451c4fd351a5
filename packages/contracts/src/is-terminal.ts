import { JOB_TRANSITIONS, type JobStatus } from './jobs/status.js'
import { NODE_TRANSITIONS, type NodeStatus, RUN_TRANSITIONS, type RunStatus } from './workflow/status.js'

const TRANSITIONS = { ...JOB_TRANSITIONS, ...NODE_TRANSITIONS, ...RUN_TRANSITIONS }

/** Reports whether a job, a run or a node of a run has ended: a terminal status has no transitions. */
export function isTerminal(status: JobStatus | RunStatus | NodeStatus): boolean {
  return TRANSITIONS[status].length === 0
}
