import { basename } from 'node:path'
import { inEnglish, NODES, type NodeContent, type NodeType, phrase } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { TaskPlace } from '../../ports/task-pool.js'
import { WorkerKilled } from '../../ports/worker-failures.js'
import type { Slot } from '../../training/scheduling/device-slots.js'
import { placeOfFile } from '../outputs/output-place.js'
import type { DatasetSource } from '../sources/dataset-source.js'
import type { ExecutionContext, NodeExecutor, NodeResult } from './executor.js'

const WAITING = [phrase('waiting_for_device')]

/** A node that a Python worker computes. A cancellation ends the worker process, which runs only this task. */
export function inWorker<T extends NodeType>(): NodeExecutor<T> {
  return (task, context) => computeInWorker<T>(task as Task, context, task.config)
}

/** A node whose worker creates one output file: it is written to the path in the config. */
export function fileInWorker<T extends 'SaveModel' | 'ExportPredictions'>(): NodeExecutor<T> {
  return async (task, context) => {
    const outputs = await computeInWorker<T>(task as Task, context, task.config)
    const { outputs: folder } = context.service
    const results = Object.entries<NodeResult>(outputs).map(async ([port, result]) => {
      const { content } = result
      if (content.content !== 'files') return [port, result] as const
      const files = content.files.map(async (file) => ({
        ...file,
        ...(await placeOfFile(folder, task.config.path, basename(file.path))),
      }))
      return [port, { ...result, content: { ...content, files: await Promise.all(files) } }] as const
    })
    return Object.fromEntries(await Promise.all(results)) as typeof outputs
  }
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
  { service, store, slots }: ExecutionContext,
  config: Readonly<Record<string, unknown>>,
  type: string = task.type,
): Promise<Awaited<ReturnType<NodeExecutor<T>>>> {
  const { pool } = service
  const abort = new AbortController()
  const forget = task.cancellation.onRequest(() => abort.abort())
  let slot: Slot | undefined
  try {
    if (usesAccelerator(type)) {
      task.progress(0, inEnglish(WAITING), WAITING)
      slot = await slots.acquire('auto', abort.signal)
    }
    const compute = () =>
      pool.run(
        'node',
        { ...nodeParams(task, { service, store }, config), type, device: slot?.device ?? 'cpu' },
        {
          onProgress: (...args) => task.progress(...args),
          onPlaced: (place) => task.log(describePlace(place)),
          signal: abort.signal,
        },
      )
    // The result of a worker depends only on its inputs, so a second execution does no harm.
    const { outputs, warnings } = await compute().catch((error) => {
      if (!(error instanceof WorkerKilled) || abort.signal.aborted) throw error
      task.log(`${error.message}; the node is computed again`)
      return compute()
    })
    for (const { code, message, message_phrases: phrases } of warnings) task.warn(code, message, phrases)
    return outputs as Record<string, NodeResult> as Awaited<ReturnType<NodeExecutor<T>>>
  } finally {
    forget()
    slot?.release()
  }
}

/** Location of the worker, for the log of the run. */
function describePlace({ node, inputBytes, localBytes }: TaskPlace): string {
  const inputs = inputBytes > 0 ? `; it has ${localBytes} of ${inputBytes} bytes of the inputs` : ''
  return `running on node ${node} of the cluster${inputs}`
}

/** Parameters of a node for its worker. */
export function nodeParams(
  task: Task,
  { service, store }: Pick<ExecutionContext, 'service' | 'store'>,
  config: Readonly<Record<string, unknown>>,
) {
  const inputs = Object.entries(task.inputs).map(([port, arrived]) => [
    port,
    arrived.map(({ value }) => value.content as NodeContent),
  ])
  return {
    type: task.type,
    config: { ...config },
    inputs: Object.fromEntries(inputs) as Record<string, NodeContent[]>,
    store: store.folder,
    data_dir: service.folder.path,
    cache_dir: service.folder.cache,
    roots: [...service.roots.folders],
    device: 'cpu',
  }
}

/** True for a node that needs an accelerator in its worker; no other node uses one. */
function usesAccelerator(type: string): boolean {
  return Object.hasOwn(NODES, type) && NODES[type as NodeType].resource === 'gpu'
}
