export interface WorkflowsSearch {
  /** Dataset with which the templates are checked for compatibility. */
  readonly dataset?: string | undefined
}

export function workflowsSearch({ dataset }: Record<string, unknown>): WorkflowsSearch {
  return typeof dataset === 'string' && dataset !== '' ? { dataset } : {}
}

export interface WorkflowRunSearch {
  /** Selected node and output. */
  readonly node?: string | undefined
  readonly port?: string | undefined
}

export function workflowRunSearch({ node, port }: Record<string, unknown>): WorkflowRunSearch {
  return {
    ...(typeof node === 'string' || typeof node === 'number' ? { node: String(node) } : {}),
    ...(typeof port === 'string' ? { port } : {}),
  }
}
