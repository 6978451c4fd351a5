/** States of a workflow run and of its nodes, and the transitions between them. */
export const NODE_STATUSES = ['pending', 'running', 'success', 'error', 'skipped', 'cached'] as const
export type NodeStatus = (typeof NODE_STATUSES)[number]

/** All transitions of a node within one run. running → skipped is a node whose run was canceled. */
export const NODE_TRANSITIONS = {
  pending: ['cached', 'running', 'skipped'],
  running: ['success', 'error', 'skipped'],
  success: [],
  error: [],
  skipped: [],
  cached: [],
} as const satisfies Record<NodeStatus, readonly NodeStatus[]>

export const RUN_STATUSES = ['pending', 'running', 'success', 'error', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const RUN_TRANSITIONS = {
  pending: ['running', 'cancelled'],
  running: ['success', 'error', 'cancelled'],
  success: [],
  error: [],
  cancelled: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>

export function nodeCanBecome(from: NodeStatus, to: NodeStatus): boolean {
  return (NODE_TRANSITIONS[from] as readonly NodeStatus[]).includes(to)
}

export function runCanBecome(from: RunStatus, to: RunStatus): boolean {
  return (RUN_TRANSITIONS[from] as readonly RunStatus[]).includes(to)
}
