export interface WorkflowsSearch {
  /** The data set that the templates are held against. */
  readonly dataset?: string | undefined
}

export function workflowsSearch({ dataset }: Record<string, unknown>): WorkflowsSearch {
  return typeof dataset === 'string' && dataset !== '' ? { dataset } : {}
}

export interface WorkflowRunSearch {
  /** The node that is looked at, and which of its outputs. */
  readonly node?: string | undefined
  readonly port?: string | undefined
}

export function workflowRunSearch({ node, port }: Record<string, unknown>): WorkflowRunSearch {
  return {
    ...(typeof node === 'string' || typeof node === 'number' ? { node: String(node) } : {}),
    ...(typeof port === 'string' ? { port } : {}),
  }
}
