import {
  inEnglish,
  type NodeConfig,
  type NodeContent,
  type NodeOutputs,
  type NodeType,
  type Phrase,
  phrase,
  type Workflow,
} from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { ServiceContext } from '../../context.js'
import { AppError } from '../../errors.js'
import type { DeviceSlots } from '../../training/scheduling/device-slots.js'
import type { ArtifactStore } from '../cache/artifact-store.js'

/** Context of an executor in addition to its task: the folders that it may read and write, and the workflow of its run. */
export interface ExecutionContext {
  readonly service: Pick<ServiceContext, 'folder' | 'pool' | 'roots' | 'outputs' | 'database' | 'log'>
  readonly store: ArtifactStore
  readonly slots: Pick<DeviceSlots, 'acquire'>
  readonly workflow_id: string
  readonly run_id: string
  /** Owner of the run and of its jobs. */
  readonly owner: string | null
  /** The executed version. */
  readonly workflow: Workflow
  /** Nodes that run although their result is cached. */
  readonly forced: ReadonlySet<string>
}

export interface NodeResult {
  readonly content: NodeContent
  /** One line to display: "1,384 cases, 23 columns". */
  readonly summary: string
  /** The phrases of the summary, for other languages. */
  readonly summary_phrases?: readonly Phrase[] | undefined
}

/** The summary of a result from its phrases. */
export function summarize(...phrases: readonly Phrase[]): Pick<NodeResult, 'summary' | 'summary_phrases'> {
  return { summary: inEnglish(phrases), summary_phrases: phrases }
}

/** Does the work of a node: returns a content and a summary for every output port. The caller computes the digest of the content. */
export type NodeExecutor<T extends NodeType> = (
  task: Task<NodeConfig<T>>,
  context: ExecutionContext,
) => Promise<Readonly<Record<NodeOutputs<T>, NodeResult>>> | Readonly<Record<NodeOutputs<T>, NodeResult>>

/** The contents at an input port, in order. */
export function contentsAt(task: Task<never> | Task, port: string): NodeContent[] {
  return (task.inputs[port] ?? []).map(({ value }) => value.content as NodeContent)
}

/** The single content of this kind at an input port; null if there is none. @throws AppError when it is of another kind. */
export function contentAt<C extends NodeContent['content']>(
  task: Task<never> | Task,
  port: string,
  ...sorts: readonly C[]
): Extract<NodeContent, { content: C }> | null {
  const [content] = contentsAt(task, port)
  if (!content) return null
  if (!(sorts as readonly string[]).includes(content.content))
    throw new AppError(
      'NODE_FAILED',
      phrase('input_of_other_kind', { port, kind: content.content, expected: sorts.join(' or ') }),
    )
  return content as Extract<NodeContent, { content: C }>
}
