import type { NodeContent, NodeType } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { DatasetSource } from '../sources/dataset-source.js'
import type { ExecutionContext, NodeExecutor, NodeResult } from './executor.js'

/** A node that a warm Python process computes. A cancellation ends that process, and with it this task alone. */
export function inWorker<T extends NodeType>(): NodeExecutor<T> {
  return (task, context) => computeInWorker<T>(task as Task, context, task.config)
}

/** The worker cannot know registered data sets: it is told where this one lies. */
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
