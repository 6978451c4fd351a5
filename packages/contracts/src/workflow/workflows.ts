import { z } from 'zod'
import { owner } from '../people/users.js'
import { Timestamp } from '../timestamp.js'
import { WorkflowIssue } from './issue.js'
import { Workflow } from './saved-workflow.js'
import { RUN_STATUSES } from './status.js'

/** Requests and responses of the workflow endpoints. */
export const CreateWorkflowRequest = z
  .looseObject({ name: z.string().min(1).max(200).optional() })
  .meta({ id: 'CreateWorkflowRequest', description: 'A saved workflow, or {name} for an empty one' })

export const UpdateWorkflowRequest = z
  .looseObject({
    revision: z
      .int()
      .min(1)
      .optional()
      .meta({ title: 'Revision that was read; absent: the newest is replaced' }),
  })
  .meta({ id: 'UpdateWorkflowRequest', description: 'A saved workflow and the revision that it changes' })

export const WorkflowResponse = z
  .object({
    workflow_id: z.uuid(),
    revision: z.int(),
    workflow: Workflow,
    issues: z.array(WorkflowIssue),
    draft_updated_at: Timestamp.nullable().meta({ description: 'Of the draft; null: there is none' }),
  })
  .meta({ id: 'WorkflowResponse' })
export type WorkflowResponse = z.infer<typeof WorkflowResponse>

/** A template with a registered dataset instead of its example. */
export const TemplateFit = z
  .object({
    fits: z.boolean(),
    missing: z
      .array(WorkflowIssue)
      .meta({ description: 'What the data lack, and where; empty where they fit' }),
    workflow: Workflow.meta({ description: 'The template with the data set put in' }),
  })
  .meta({ id: 'TemplateFit' })
export type TemplateFit = z.infer<typeof TemplateFit>

export const WorkflowTemplate = z
  .object({
    template_id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    workflow: Workflow,
    fit: TemplateFit.nullable().meta({ description: 'null: no data set was named' }),
  })
  .meta({ id: 'WorkflowTemplate' })
export type WorkflowTemplate = z.infer<typeof WorkflowTemplate>

/** One row of the list of workflows. */
export const WorkflowRecord = z
  .object({
    workflow_id: z.uuid(),
    revision: z.int(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    num_nodes: z.int(),
    owner,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_run: z.object({ run_id: z.uuid(), status: z.enum(RUN_STATUSES) }).nullable(),
  })
  .meta({ id: 'WorkflowRecord' })
export type WorkflowRecord = z.infer<typeof WorkflowRecord>
