import {
  atPlace,
  hintOf,
  listed,
  messageOf,
  type NodeContent,
  type NodePreview,
  type NodeState,
  type PortValue,
  type PreviewQuery,
  phrase,
  type RouteRequest,
  ShownValue,
  suggest,
  VALUE_LIMITS,
  type Workflow,
} from '@medloom/contracts'
import type { Lease, Outputs } from '@medloom/workflow'
import type { z } from 'zod'
import type { ServiceContext } from '../../context.js'
import { AppError, refusal } from '../../errors.js'
import { fileResponse } from '../../files/file-response.js'
import type { Bytes } from '../../http/bind.js'
import { readOffset, tokenAfter } from '../../http/pagination.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import type { DiskCache } from '../cache/disk-cache.js'
import { referencedBlobs } from '../cache/referenced-blobs.js'
import type { RunsRepository } from '../runs/runs.repository.js'
import { unknownWorkflow } from '../workflow-errors.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import { filesOf, valuePage } from './value-page.js'

export interface PreviewsOptions {
  readonly service: Pick<ServiceContext, 'folder' | 'pool' | 'roots'>
  readonly workflows: WorkflowsRepository
  readonly runs: RunsRepository
  readonly cache: DiskCache
  readonly store: ArtifactStore
}

/** A name is compared with at most this many others, because comparisons are slow. */
const MAX_COMPARED = 1000
/** Kinds of values that have a table. */
const WITH_TABLE: readonly NodeContent['content'][] = ['cases', 'predictions']

/** Shows outputs of nodes without running anything: a worker creates the requested rows and images, and stores none. */
export class PreviewsService {
  constructor(private readonly options: PreviewsOptions) {}

  /** @throws AppError INVALID_REQUEST for an unknown node or port, RESULT_NOT_FOUND if the node has no cached result. */
  async preview(
    workflowId: string,
    { node, port, run_id, rows, images, page_token, identifiers }: z.output<typeof PreviewQuery>,
    signal: AbortSignal,
  ): Promise<NodePreview> {
    const { service, store } = this.options
    const offset = readOffset(page_token)
    const lease = await this.#result(workflowId, node, run_id)
    try {
      const shown = outputOf(lease.outputs, port)
      const { content, digest } = lease.outputs[shown] as Outputs[string]
      const made = await service.pool.run(
        'preview',
        {
          content: content as NodeContent,
          offset,
          identifiers: identifiers === 'true',
          rows,
          images,
          store: store.folder,
          data_dir: service.folder.path,
          cache_dir: service.folder.cache,
          roots: [...service.roots.folders],
        },
        {
          signal,
          reads: { bytes: referencedBlobs(content).reduce((sum, { size_bytes }) => sum + size_bytes, 0) },
        },
      )
      const next_page_token = rows > 0 ? tokenAfter(offset, rows, made.num_rows) : null
      return { workflow_id: workflowId, node, port: shown, digest, ...made, next_page_token }
    } finally {
      lease.release()
    }
  }

  /** @throws AppError like `preview`, and NODE_FAILED if a file of the result is missing. */
  async value(
    workflowId: string,
    { node, port, run_id, page_size, page_token }: RouteRequest<'getPortValue'>['query'],
  ): Promise<PortValue> {
    const { store } = this.options
    const offset = readOffset(page_token)
    const lease = await this.#result(workflowId, node, run_id)
    try {
      const { type, summary, summary_phrases, digest, content } = portOf(lease.outputs, port)
      const page = { offset, size: page_size }
      const { value, total } = await valuePage(content as NodeContent, page, async (blob) =>
        blob.size_bytes > VALUE_LIMITS.document_bytes ? null : JSON.parse(String(await store.read(blob))),
      )
      const next_page_token = tokenAfter(offset, page_size, total)
      return {
        workflow_id: workflowId,
        node,
        port,
        type,
        summary,
        ...(summary_phrases ? { summary_phrases: [...summary_phrases] } : {}),
        digest,
        value: ShownValue.parse(value),
        next_page_token,
      }
    } finally {
      lease.release()
    }
  }

  /**
   * A file that a result names, from the store: a path in a request is never a path of the machine.
   * @throws AppError like `value`, and RUN_FILE_NOT_FOUND
   */
  async file(
    workflowId: string,
    path: string,
    { node, port, run_id, download }: RouteRequest<'getPortFile'>['query'],
  ): Promise<Bytes> {
    const { store } = this.options
    const lease = await this.#result(workflowId, node, run_id)
    try {
      const file = filesOf(portOf(lease.outputs, port).content as NodeContent).find(
        (one) => one.path === path,
      )
      const name = path.slice(path.lastIndexOf('/') + 1)
      const response = file && (await fileResponse(await store.open(file.blob), name, download === 'true'))
      if (!response) throw new AppError('RUN_FILE_NOT_FOUND', phrase('output_without_file', { port }))
      return response
    } finally {
      lease.release()
    }
  }

  /** Held until it is released. @throws AppError WORKFLOW_NOT_FOUND, INVALID_REQUEST, WORKFLOW_RUN_NOT_FOUND, RESULT_NOT_FOUND */
  async #result(workflowId: string, node: string, runId: string | undefined): Promise<Lease> {
    const { workflows, runs, cache } = this.options
    const run = runId === undefined ? undefined : await runs.find(runId, workflowId)
    const workflow = run?.workflow ?? (await workflows.find(workflowId))?.workflow
    if (!workflow) throw unknownWorkflow()
    if (runId !== undefined && !run) throw new AppError('WORKFLOW_RUN_NOT_FOUND', phrase('run_unknown'))
    refuseUnknownNode(node, workflow)
    const latest = await runs.key(workflowId, node)
    // A node that has ended in an unfinished run already has a result, but no latest one if it never ran before.
    const earlier = run || latest === undefined ? await cache.keysOf(workflowId, node) : []
    const made = run ? (await runs.nodes(run.run_id))[node]?.outputs : undefined
    for (const key of new Set([...(latest === undefined ? [] : [latest]), ...earlier])) {
      const lease = (await cache.acquireMany([key])).get(key)
      if (lease && (!run || isThat(lease.outputs, made))) return lease
      lease?.release()
    }
    throw new AppError('RESULT_NOT_FOUND', phrase('node_without_result', { node }))
  }
}

/** Returns true if these are the outputs that a run reports. */
function isThat(outputs: Outputs, made: NodeState['outputs'] | undefined): boolean {
  const ports = Object.entries(made ?? {})
  return ports.length > 0 && ports.every(([port, { digest }]) => outputs[port]?.digest === digest)
}

function portOf(outputs: Outputs, port: string): Outputs[string] {
  const output = Object.hasOwn(outputs, port) ? outputs[port] : undefined
  if (output) return output
  throw unknownPort(port, Object.keys(outputs))
}

function unknownPort(port: string, names: readonly string[]): AppError {
  const message = phrase('not_an_output', { port: port.slice(0, 80) })
  const hint = phrase('its_outputs_are', { outputs: names.join(', ') })
  return new AppError('INVALID_REQUEST', atPlace('port', message), hint, [
    { path: 'port', code: 'UNKNOWN_PORT', ...messageOf(message), ...hintOf(hint) },
  ])
}

/** The named output, or the first one with a table. */
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
      ? phrase('no_output_with_table')
      : phrase(names.includes(port) ? 'output_without_table' : 'not_an_output', { port })
  const hint = first === undefined ? phrase('outputs_in_status') : phrase('use_output', { port: first })
  throw new AppError('INVALID_REQUEST', atPlace('port', message), hint, [
    { path: 'port', code: 'INVALID_VALUE', ...messageOf(message), ...hintOf(hint) },
  ])
}

function refuseUnknownNode(node: string, { nodes }: Workflow): void {
  const ids = nodes.map(({ id }) => id)
  if (ids.includes(node)) return
  throw refusal([
    {
      path: 'node',
      code: 'UNKNOWN_NODE',
      ...messageOf(phrase('not_a_node', { node })),
      ...suggest(node, ids.slice(0, MAX_COMPARED), phrase('has_names', { names: listed(ids.slice(0, 20)) })),
    },
  ])
}
