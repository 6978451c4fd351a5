import type { Workflow, WorkflowIssue } from '@medloom/contracts'
import {
  type Planned,
  type PlanRequest,
  plan,
  type ResultCache,
  readsOutside,
  type Validated,
} from '@medloom/workflow'
import { AppError } from '../../errors.js'
import { type CheckedWorkflow, checkWorkflow, type Surroundings } from '../check-workflow.js'
import { nativeHash } from '../executors/index.js'
import { eachAtMost } from '../sources/each-at-most.js'
import type { SourceDigests } from '../sources/source-digests.js'
import { notRunnable } from '../workflow-errors.js'
import type { RunsRepository } from './runs.repository.js'

export interface PlannerParts {
  readonly repository: RunsRepository
  readonly cache: ResultCache
  readonly sources: SourceDigests
  readonly surroundings: (workflowId: string) => Surroundings
}

export interface RunPlan extends Pick<Extract<Planned, { ok: true }>, 'steps' | 'counts'> {
  readonly checked: CheckedWorkflow
  /** Those that the run needs, in the order of the file. */
  readonly nodes: readonly string[]
}

const HASHES_AT_ONCE = 8

/** Whether a workflow can run, and what a run of it would do. */
export class RunPlanner {
  constructor(private readonly parts: PlannerParts) {}

  /** @throws AppError WORKFLOW_INVALID, WORKFLOW_CYCLE with all issues. */
  async plan(workflowId: string, workflow: Workflow, request: PlanRequest): Promise<RunPlan> {
    const checked = await checkWorkflow(workflow, this.parts.surroundings(workflowId))
    const { validated, more, issues } = checked
    const made = await this.parts.repository.made(workflowId)
    const knowledge = { cache: this.parts.cache, previous: made, issues: more, hash: nativeHash }
    const blocked = plan(validated, request, { ...knowledge, cache: { peek: () => undefined } })
    if (!blocked.ok)
      throw notRunnable(request.targets ? blocked.issues : withWarnings(blocked.issues, issues))
    const wanted = new Set(blocked.steps.filter(({ action }) => action !== 'skip').map(({ node }) => node))
    const sources = await this.#sourcesOf(validated, wanted)
    const planned = plan(validated, request, { ...knowledge, sources })
    if (!planned.ok) throw notRunnable(planned.issues)
    const nodes = workflow.nodes.map(({ id }) => id).filter((id) => wanted.has(id))
    return { checked, nodes, steps: planned.steps, counts: planned.counts }
  }

  async #sourcesOf(
    { graph, definitions, configs }: Validated,
    wanted: ReadonlySet<string>,
  ): Promise<Map<string, string>> {
    const sources = new Map<string, string>()
    const reading = graph.nodes.flatMap((node, number) => {
      const definition = definitions[number]
      const config = configs[number]
      return definition && config && wanted.has(node.id) && readsOutside(definition, config)
        ? [{ node, config }]
        : []
    })
    await eachAtMost(HASHES_AT_ONCE, reading, async ({ node, config }) => {
      try {
        sources.set(node.id, await this.parts.sources.of(node, config))
      } catch (error) {
        // Not known: the node says why when it runs.
        if (!(error instanceof AppError)) throw error
      }
    })
    return sources
  }
}

function withWarnings(blocking: readonly WorkflowIssue[], all: readonly WorkflowIssue[]): WorkflowIssue[] {
  return [...blocking, ...all.filter((issue) => !blocking.includes(issue))]
}
