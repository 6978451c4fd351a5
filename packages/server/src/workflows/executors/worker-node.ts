import type { NodeContent, NodeType } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { DatasetSource } from '../sources/dataset-source.js'
import type { ExecutionContext, NodeExecutor, NodeResult } from './executor.js'

/** A node that a Python worker computes. A cancellation ends the worker process, which runs this task only. */
export function inWorker<T extends NodeType>(): NodeExecutor<T> {
  return (task, context) => computeInWorker<T>(task as Task, context, task.config)
}

/** The worker does not know registered datasets: the service resolves the path. */
export function loadDataset(datasets: DatasetSource): NodeExecutor<'LoadDataset'> {
  return async (task, context) => {
    const { place } = await datasets.find(task.config.dataset_id, `nodes.${task.node}.config.dataset_id`)
    return computeInWorker<'LoadDataset'>(task, context, {
      ...task.config,
      dataset: place,
    })
  }
}

export async function computeInWorker<T extends NodeType>(
  task: Task,
  { service, store, project }: ExecutionContext,
  config: Readonly<Record<string, unknown>>,
  type: string = task.type,
): Promise<Awaited<ReturnType<NodeExecutor<T>>>> {
  const { folder, pool, roots } = service
  const abort = new AbortController()
  const forget = task.cancellation.onRequest(() => abort.abort())
  try {
    const { outputs, warnings } = await pool.run(
      'node',
      {
        type,
        config: { ...config },
        inputs: Object.fromEntries(
          Object.entries(task.inputs).map(([port, arrived]) => [
            port,
            arrived.map(({ value }) => value.content as NodeContent),
          ]),
        ),
        store: store.folder,
        project: project.path,
        data_dir: folder.path,
        cache_dir: folder.cache,
        roots: [...roots.folders],
        device: 'auto',
      },
      { onProgress: (fraction, message) => task.progress(fraction, message), signal: abort.signal },
    )
    for (const { code, message } of warnings) task.warn(code, message)
    return outputs as Record<string, NodeResult> as Awaited<ReturnType<NodeExecutor<T>>>
  } finally {
    forget()
  }
}
