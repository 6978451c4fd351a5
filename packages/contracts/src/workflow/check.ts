import { z } from 'zod'
import { valueType } from '../nodes/catalog.js'
import { WorkflowIssue } from './issue.js'
import { DocumentPlan } from './plan.js'
import { ExecuteRequest } from './runs.js'

/** Maximum number of column and class names in a description. */
export const MAX_NAMES = 200
/** Maximum number of characters of all names in a response; the names of further values are left out. */
export const MAX_NAME_CHARACTERS = 1_000_000

export const CheckWorkflowRequest = ExecuteRequest.pick({ targets: true, force: true })
  .extend({
    workflow: z.looseObject({}).meta({ description: 'Workflow in the current state of an editor' }),
    workflow_id: z.uuid().optional().meta({
      description: 'Stored workflow whose latest results the plan is compared with',
    }),
  })
  .meta({ id: 'CheckWorkflowRequest' })

const names = (what: string) =>
  z.array(z.string()).meta({
    description: `The first ${MAX_NAMES} ${what}, or fewer where a response would have more than ${MAX_NAME_CHARACTERS.toLocaleString('en-US')} characters of names; absent: unknown`,
  })

/** Facts about a value before a run. An absent member is unknown. */
export const InferredValue = z
  .object({
    type: valueType,
    kind: z.string().optional(),
    images: z.boolean().optional().meta({ description: 'Whether the cases have images' }),
    table: z.boolean().optional().meta({ description: 'Whether the cases have input columns' }),
    labels: z.boolean().optional(),
    cases: z.int().optional(),
    columns: names('columns').optional(),
    num_columns: z.int().optional(),
    classes: names('classes').nullable().optional().meta({ description: 'null: the label is a number' }),
    num_classes: z.int().optional(),
    shape: z.array(z.int().nullable()).optional().meta({ description: 'null: unknown dimension' }),
  })
  .meta({ id: 'InferredValue' })
export type InferredValue = z.infer<typeof InferredValue>

export const WorkflowCheck = z
  .object({
    issues: z.array(WorkflowIssue),
    values: z
      .record(z.string(), z.record(z.string(), InferredValue))
      .meta({ description: 'Node → output port → known properties of the value' }),
    plan: DocumentPlan.nullable().meta({ description: 'null: the targets cannot run because of errors' }),
  })
  .meta({ id: 'WorkflowCheck' })
export type WorkflowCheck = z.infer<typeof WorkflowCheck>
