import type { Workflow, WorkflowIssue } from '@medloom/contracts'
import {
  type Planned,
  type PlanRequest,
  plan,
  readsOutside,
  type Scope,
  type SupplyImplicit,
  scopeOf,
  type Versions,
} from '@medloom/workflow'
import { yieldUntilAborted } from '../../concurrency/event-loop.js'
import { forEachLimit } from '../../concurrency/for-each-limit.js'
import { AppError } from '../../errors.js'
import type { SoftwareVersions } from '../../ports/software-versions.js'
import type { DiskCache } from '../cache/disk-cache.js'
import { type CheckContext, type CheckedWorkflow, checkWorkflow } from '../check-workflow.js'
import { nativeHash } from '../executors/index.js'
import type { SourceDigests } from '../sources/source-digests.js'
import { notRunnable } from '../workflow-errors.js'
import type { RunsRepository } from './runs.repository.js'

export interface PlannerParts {
  readonly repository: RunsRepository
  readonly cache: DiskCache
  readonly sources: SourceDigests
  readonly software: SoftwareVersions
  readonly implicitInput: SupplyImplicit
  readonly checkContext: CheckContext
}

/** A workflow that can run. */
export interface Runnable {
  readonly checked: CheckedWorkflow
  /** Nodes that the run needs, in the order of the file. */
  readonly nodes: readonly string[]
}

const MAX_CONCURRENT_HASHES = 8

/** Checks if a workflow can run, and plans a run of it. */
export class RunPlanner {
  constructor(private readonly parts: PlannerParts) {}

  /** Reads no results and hashes no files: the run does that. @throws AppError WORKFLOW_INVALID, WORKFLOW_CYCLE with all issues. */
  async check(workflow: Workflow, request: PlanRequest): Promise<Runnable> {
    const checked = await checkWorkflow(workflow, this.parts.checkContext)
    const { needed } = scope(checked, request)
    const { numberOf } = checked.validated.graph
    const nodes = workflow.nodes.map(({ id }) => id).filter((id) => needed[numberOf.get(id) ?? -1])
    return { checked, nodes }
  }

  /** @throws AppError like `check`. */
  async plan(
    workflowId: string,
    workflow: Workflow,
    request: PlanRequest,
    signal?: AbortSignal,
  ): Promise<Extract<Planned, { ok: true }>> {
    const checked = await checkWorkflow(workflow, this.parts.checkContext, signal)
    return this.planOf(checked, request, { workflowId, signal })
  }

  /**
   * workflowId: the workflow with whose latest results the plan compares; absent: none.
   * @throws AppError like `check`, and at the next step after the signal: nobody waits for the plan any more.
   */
  async planOf(
    checked: CheckedWorkflow,
    request: PlanRequest,
    {
      workflowId,
      signal,
    }: { readonly workflowId?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<Extract<Planned, { ok: true }>> {
    const { needed } = scope(checked, request)
    const { cache, repository, implicitInput } = this.parts
    const sources = await this.#sourcesOf(checked, needed)
    const software = await this.#softwareOf(checked, needed)
    if (workflowId !== undefined) await cache.preload(workflowId)
    const planned = await plan(checked.validated, request, {
      cache,
      sources,
      ...(software ? { software } : {}),
      implicitInput,
      ...(workflowId === undefined
        ? {}
        : { previous: (nodes: readonly string[]) => repository.previous(workflowId, nodes) }),
      issues: checked.more,
      hash: nativeHash,
      pause: yieldUntilAborted(signal),
    })
    if (!planned.ok) throw notRunnable(planned.issues)
    return planned
  }

  /** undefined: no node needs the versions, or Python does not respond, which a node reports when it runs. */
  async #softwareOf({ validated }: CheckedWorkflow, needed: Uint8Array): Promise<Versions | undefined> {
    if (!validated.definitions.some((definition, number) => definition?.software && needed[number])) return
    try {
      return await this.parts.software.get()
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  async #sourcesOf({ validated }: CheckedWorkflow, needed: Uint8Array): Promise<Map<string, string>> {
    const { graph, definitions, configs } = validated
    const sources = new Map<string, string>()
    const reading = graph.nodes.flatMap((node, number) => {
      const definition = definitions[number]
      const config = configs[number]
      return definition && config && needed[number] && readsOutside(definition, config)
        ? [{ node, config }]
        : []
    })
    const digestOf = this.parts.sources.ofMany()
    await forEachLimit(MAX_CONCURRENT_HASHES, reading, async ({ node, config }) => {
      try {
        sources.set(node.id, await digestOf(node, config))
      } catch (error) {
        // Unknown: the node reports the reason when it runs.
        if (!(error instanceof AppError)) throw error
      }
    })
    return sources
  }
}

function scope(
  { validated, more, issues }: CheckedWorkflow,
  request: PlanRequest,
): Extract<Scope, { ok: true }> {
  const found = scopeOf(validated, request, more)
  if (found.ok) return found
  throw notRunnable(request.targets ? found.issues : withWarnings(found.issues, issues))
}

function withWarnings(blocking: readonly WorkflowIssue[], all: readonly WorkflowIssue[]): WorkflowIssue[] {
  const known = new Set(blocking)
  return [...blocking, ...all.filter((issue) => !known.has(issue))]
}
