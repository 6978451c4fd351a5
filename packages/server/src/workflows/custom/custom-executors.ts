import type { Catalog, NodeSource } from '@medloom/contracts'
import type { Executor, Executors, Task } from '@medloom/workflow'
import type { TaskPool } from '../../ports/task-pool.js'
import type { ExecutionContext } from '../executors/executor.js'
import { asValues } from '../executors/index.js'
import { asNodeFailure } from '../executors/node-failure.js'
import { nodeParams } from '../executors/worker-node.js'

/** The processes that compute only custom nodes. */
export interface CustomWorkers {
  /** null: there are no custom nodes. */
  readonly folder: string | null
  readonly pool: Pick<TaskPool, 'run'>
}

/** Custom nodes are computed by separate processes, which a cancellation ends. */
export function customExecutors(
  catalog: Catalog,
  { folder, pool }: CustomWorkers,
  { service, store }: ExecutionContext,
): Executors {
  if (folder === null) return {}
  const compute = async (task: Task, source: NodeSource) => {
    const abort = new AbortController()
    const forget = task.cancellation.onRequest(() => abort.abort())
    try {
      return await pool.run(
        'custom_node',
        { folder, ...source, ...nodeParams(task, { service, store }, task.config) },
        { onProgress: (...args) => task.progress(...args), signal: abort.signal },
      )
    } catch (thrown) {
      throw asNodeFailure(thrown)
    } finally {
      forget()
    }
  }
  const executors: Record<string, Executor> = {}
  for (const [type, { source, outputs: ports }] of Object.entries(catalog)) {
    if (!source) continue
    executors[type] = async (task) => {
      const { outputs, warnings } = await compute(task, source)
      for (const { code, message, message_phrases: phrases } of warnings) task.warn(code, message, phrases)
      return asValues(outputs, ports)
    }
  }
  return executors
}
