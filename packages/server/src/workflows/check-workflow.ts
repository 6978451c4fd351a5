import {
  type Dataset,
  ERRORS,
  type FieldFacts,
  factsOf,
  messageOf,
  phrase,
  type Workflow,
  type WorkflowIssue,
} from '@medloom/contracts'
import {
  type Inferred,
  inferenceSteps,
  runYielding,
  type Validated,
  validationSteps,
} from '@medloom/workflow'
import { yieldUntilAborted } from '../concurrency/event-loop.js'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { memoize } from '../concurrency/memoize.js'
import { AppError, issueAt } from '../errors.js'
import type { OutputFolder } from '../security/output-folder.js'
import type { Roots } from '../security/roots.js'
import type { CustomNodes } from './custom/custom-nodes.js'
import type { DatasetSource } from './sources/dataset-source.js'
import type { ModelSource } from './sources/model-source.js'

export interface CheckedWorkflow {
  readonly validated: Validated
  /** In addition to those of validation: issues of inference, missing files, paths that may not be written. */
  readonly more: readonly WorkflowIssue[]
  readonly issues: readonly WorkflowIssue[]
  /** Properties of the values that are known before the run. */
  readonly outputs: Inferred['outputs']
  readonly inputs: Inferred['inputs']
}

export interface CheckContext {
  readonly roots: Roots
  readonly datasets: DatasetSource
  readonly models: Pick<ModelSource, 'find'>
  readonly outputs: Pick<OutputFolder, 'resolve'>
  readonly custom: Pick<CustomNodes, 'known'>
}

const MAX_CONCURRENT_LOOKUPS = 8

/**
 * All issues of a workflow; the service stays responsive.
 * @throws AppError at the next step after the signal: nobody waits for the issues any more.
 */
export async function checkWorkflow(
  workflow: Workflow,
  checkContext: CheckContext,
  signal?: AbortSignal,
): Promise<CheckedWorkflow> {
  const pause = yieldUntilAborted(signal)
  const { catalog } = await checkContext.custom.known()
  const validated = await runYielding(validationSteps(workflow, catalog), pause)
  const known = new Map<string, Dataset>()
  const outside = await checkOutside(validated, checkContext, known)
  const { issues, outputs, inputs } = await runYielding(inferenceSteps(validated, { datasets: known }), pause)
  const more = [...issues, ...outside]
  return { validated, more, issues: [...validated.issues, ...more], outputs, inputs }
}

/** Paths and datasets that the configs name. Checks that files exist, without reading them. */
async function checkOutside(
  validated: Validated,
  { roots, datasets, models, outputs }: CheckContext,
  known: Map<string, Dataset>,
): Promise<WorkflowIssue[]> {
  const uses = outsideUses(validated)
  const issues: WorkflowIssue[][] = []
  const written: Written[] = []
  const lookUp = memoize(async (reads: NonNullable<FieldFacts['reads']>, value: string) => {
    if (reads === 'model') return models.find(value)
    if (reads !== 'dataset') return roots.resolve(value, value, reads === 'table' ? 'dataset' : 'any')
    const { record } = await datasets.find(value, value)
    if (record) known.set(value, record)
  })
  await forEachLimit(MAX_CONCURRENT_LOOKUPS, [...uses.entries()], async ([number, use]) => {
    const { node, field, value, reads, writes_unnamed } = use
    try {
      if (value === null) {
        if (writes_unnamed !== undefined)
          written[number] = { node, field, place: `${writes_unnamed} among the artifacts` }
      } else if (reads) await lookUp(reads, value)
      else written[number] = { node, field, place: await outputs.resolve(value) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const path = `nodes.${node}.config.${field}`
      issues[number] = [{ ...issueAt(value ?? '', error), path, severity: 'error', node, field }]
    }
  })
  return [...issues.flat(), ...samePlaces(written.flat())]
}

interface Written {
  readonly node: string
  readonly field: string
  readonly place: string
}

/** Nodes that would overwrite each other's files. */
function samePlaces(written: readonly Written[]): WorkflowIssue[] {
  const first = new Map<string, string>()
  return written.flatMap(({ node, field, place }) => {
    const other = first.get(place)
    first.set(place, other ?? node)
    if (other === undefined) return []
    return {
      path: `nodes.${node}.config.${field}`,
      code: 'OUTPUT_PATH_TAKEN',
      severity: 'error',
      ...messageOf(phrase('same_output_path', { node: other, path: place })),
      hint: ERRORS.OUTPUT_PATH_TAKEN.remedy,
      node,
      field,
    }
  })
}

/** The fields of each node that refer to something outside the workflow. */
function outsideUses({ graph, definitions, configs }: Validated) {
  const fields = new Map(
    [...new Set(definitions)].map((definition) => [
      definition,
      Object.entries(definition?.config.shape ?? {})
        .map(([field, schema]) => ({ field, ...factsOf(schema) }))
        .filter(({ reads, writes }) => reads || writes),
    ]),
  )
  return graph.nodes.flatMap((node, number) =>
    (fields.get(definitions[number]) ?? []).flatMap(({ field, reads, writes_unnamed }) => {
      const value = configs[number]?.[field] ?? null
      return value === null || typeof value === 'string'
        ? [{ node: node.id, field, value, reads, writes_unnamed }]
        : []
    }),
  )
}
