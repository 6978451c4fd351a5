import {
  type NodeContent,
  type NodePreview,
  nearest,
  type PreviewQuery,
  type Workflow,
} from '@medloom/contracts'
import type { Outputs } from '@medloom/workflow'
import type { z } from 'zod'
import type { ServiceContext } from '../../context.js'
import { AppError } from '../../errors.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import type { DiskCache } from '../cache/disk-cache.js'
import type { RunsRepository } from '../runs/runs.repository.js'
import { unknownWorkflow } from '../workflow-errors.js'
import type { WorkflowsRepository } from '../workflows.repository.js'

export interface PreviewsOptions {
  readonly service: Pick<ServiceContext, 'folder' | 'pool' | 'roots'>
  readonly workflows: WorkflowsRepository
  readonly runs: RunsRepository
  readonly cache: DiskCache
  readonly store: ArtifactStore
}

/** A name is compared with at most this many others, because comparisons are slow. */
const MAX_COMPARED = 1000
/** Sorts of values that have a table. */
const WITH_TABLE: readonly NodeContent['content'][] = ['cases', 'predictions']

/** Shows what nodes have put out, without running anything: a worker makes the rows and images that are asked for, and keeps none. */
export class PreviewsService {
  constructor(private readonly options: PreviewsOptions) {}

  /** @throws AppError INVALID_REQUEST for an unknown node or port, RESULT_NOT_FOUND where the node has no cached result. */
  async preview(
    workflowId: string,
    { node, port, rows, images }: z.output<typeof PreviewQuery>,
    signal: AbortSignal,
  ): Promise<NodePreview> {
    const { workflows, runs, cache, service, store } = this.options
    const found = await workflows.find(workflowId)
    if (!found) throw unknownWorkflow()
    refuseUnknownNode(node, found.workflow)
    const key = await runs.key(workflowId, node)
    const lease = key === undefined ? undefined : (await cache.acquireMany([key])).get(key)
    if (!lease) throw new AppError('RESULT_NOT_FOUND', `node "${node}" has no cached result to show`)
    try {
      const shown = outputOf(lease.outputs, port)
      const { content, digest } = lease.outputs[shown] as Outputs[string]
      const made = await service.pool.run(
        'preview',
        {
          content: content as NodeContent,
          rows,
          images,
          store: store.folder,
          data_dir: service.folder.path,
          cache_dir: service.folder.cache,
          roots: [...service.roots.folders],
        },
        { signal },
      )
      return { workflow_id: workflowId, node, port: shown, digest, ...made }
    } finally {
      lease.release()
    }
  }
}

/** The output that is named, or the first one with a table. */
function outputOf(outputs: Outputs, port: string | undefined): string {
  const names = Object.keys(outputs)
  const withTable = Object.entries(outputs).flatMap(([name, { content }]) =>
    WITH_TABLE.includes((content as NodeContent).content) ? [name] : [],
  )
  const [first] = withTable
  if (port === undefined && first !== undefined) return first
  if (port !== undefined && withTable.includes(port)) return port
  const message =
    port === undefined
      ? 'no output of this node has a table or images'
      : names.includes(port)
        ? `output "${port}" has no table and no images`
        : `"${port}" is not an output of this node`
  const hint = first === undefined ? 'Its outputs are described in the status of the run.' : `Use "${first}".`
  throw new AppError('INVALID_REQUEST', `port: ${message}`, hint, [
    { path: 'port', code: 'INVALID_VALUE', message, hint },
  ])
}

function refuseUnknownNode(node: string, { nodes }: Workflow): void {
  const ids = nodes.map(({ id }) => id)
  if (ids.includes(node)) return
  const guess = nearest(node, ids.slice(0, MAX_COMPARED))
  const message = `"${node}" is not a node of this workflow`
  const hint = guess ? `Did you mean "${guess}"?` : `It has ${ids.slice(0, 20).join(', ')}.`
  throw new AppError('INVALID_REQUEST', `node: ${message}`, hint, [
    { path: 'node', code: 'UNKNOWN_NODE', message, hint },
  ])
}
