import { z } from 'zod'
import { owner } from '../people/users.js'
import { Timestamp } from '../timestamp.js'
import { WorkflowIssue } from './issue.js'
import { Workflow } from './saved-workflow.js'
import { RUN_STATUSES } from './status.js'

/** Requests and responses of the workflow endpoints. */
export const CreateWorkflowRequest = z
  .looseObject({ name: z.string().min(1).max(200).optional() })
  .meta({ id: 'CreateWorkflowRequest', description: 'A saved workflow, or {name} for an empty workflow' })

export const UpdateWorkflowRequest = z
  .looseObject({
    revision: z
      .int()
      .min(1)
      .optional()
      .meta({ title: 'Revision that the change is based on. Default: the newest revision' }),
  })
  .meta({ id: 'UpdateWorkflowRequest', description: 'A saved workflow and the revision that it is based on' })

export const WorkflowResponse = z
  .object({
    workflow_id: z.uuid(),
    revision: z.int(),
    workflow: Workflow,
    issues: z.array(WorkflowIssue),
    draft_updated_at: Timestamp.nullable().meta({
      description: 'Time of the last change of the draft; null: no draft',
    }),
  })
  .meta({ id: 'WorkflowResponse' })
export type WorkflowResponse = z.infer<typeof WorkflowResponse>

/** A template with a registered dataset instead of its example. */
export const TemplateFit = z
  .object({
    fits: z.boolean(),
    missing: z
      .array(WorkflowIssue)
      .meta({ description: 'Missing properties of the data and the affected nodes; empty if the data fit' }),
    workflow: Workflow.meta({ description: 'Template with the dataset inserted' }),
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
    fit: TemplateFit.nullable().meta({ description: 'null: no dataset was given' }),
  })
  .meta({ id: 'WorkflowTemplate' })
export type WorkflowTemplate = z.infer<typeof WorkflowTemplate>

/** Maximum length of a description, and maximum number of tags, in the list of workflows. */
export const LISTED_WORKFLOW = { description: 500, tags: 20 } as const

/** One row of the list of workflows. */
export const WorkflowRecord = z
  .object({
    workflow_id: z.uuid(),
    revision: z.int(),
    name: z.string(),
    description: z.string().meta({ description: `The first ${LISTED_WORKFLOW.description} characters` }),
    tags: z.array(z.string()).meta({ description: `The first ${LISTED_WORKFLOW.tags} tags` }),
    num_nodes: z.int(),
    owner,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_run: z.object({ run_id: z.uuid(), status: z.enum(RUN_STATUSES) }).nullable(),
  })
  .meta({ id: 'WorkflowRecord' })
export type WorkflowRecord = z.infer<typeof WorkflowRecord>
