import { type Dataset, factsOf, type Workflow, type WorkflowIssue } from '@medloom/contracts'
import { inferenceSteps, runYielding, type Validated, validationSteps } from '@medloom/workflow'
import { yieldIfDue } from '../concurrency/event-loop.js'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { AppError, issueAt } from '../errors.js'
import type { Roots } from '../security/roots.js'
import type { ProjectFolder } from './project/project-folder.js'
import type { DatasetSource } from './sources/dataset-source.js'

export interface CheckedWorkflow {
  readonly validated: Validated
  /** Beyond those of validation: issues of inference, missing files, paths that may not be written. */
  readonly more: readonly WorkflowIssue[]
  readonly issues: readonly WorkflowIssue[]
}

export interface CheckContext {
  readonly roots: Roots
  readonly datasets: DatasetSource
  readonly project: Pick<ProjectFolder, 'output'>
}

const MAX_CONCURRENT_LOOKUPS = 8

/** All issues of a workflow; the service responds meanwhile. */
export async function checkWorkflow(
  workflow: Workflow,
  checkContext: CheckContext,
): Promise<CheckedWorkflow> {
  const validated = await runYielding(validationSteps(workflow), yieldIfDue)
  const known = new Map<string, Dataset>()
  const outside = await checkOutside(validated, checkContext, known)
  const { issues } = await runYielding(inferenceSteps(validated, { datasets: known }), yieldIfDue)
  const more = [...issues, ...outside]
  return { validated, more, issues: [...validated.issues, ...more] }
}

/** Paths and datasets that the configs name. Checks that files exist, does not read them. */
async function checkOutside(
  { graph, definitions, configs }: Validated,
  { roots, datasets, project }: CheckContext,
  known: Map<string, Dataset>,
): Promise<WorkflowIssue[]> {
  const fields = outsideFields(definitions)
  const asked = graph.nodes.flatMap((node, number) => {
    const config = configs[number]
    return (fields.get(definitions[number]) ?? []).flatMap(({ field, reads }) => {
      const value = config?.[field]
      return typeof value === 'string' ? [{ node: node.id, field, value, reads }] : []
    })
  })
  const issues: WorkflowIssue[][] = []
  await forEachLimit(
    MAX_CONCURRENT_LOOKUPS,
    [...asked.entries()],
    async ([number, { node, field, value, reads }]) => {
      const place = `nodes.${node}.config.${field}`
      try {
        if (reads === 'dataset') {
          const { record } = await datasets.find(value, place)
          if (record) known.set(value, record)
        } else if (reads) await roots.resolve(value, place)
        else await project.output(value, value)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        issues[number] = [{ ...issueAt(place, error), severity: 'error', node, field }]
      }
    },
  )
  return issues.flat()
}

/** By definition: the fields that name something outside the workflow. */
function outsideFields(definitions: Validated['definitions']) {
  return new Map(
    [...new Set(definitions)].map((definition) => [
      definition,
      Object.entries(definition?.config.shape ?? {})
        .map(([field, schema]) => ({ field, ...factsOf(schema) }))
        .filter(({ reads, writes }) => reads || writes),
    ]),
  )
}
