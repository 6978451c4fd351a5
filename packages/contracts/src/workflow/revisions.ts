import { z } from 'zod'
import { Timestamp } from '../timestamp.js'
import { Workflow } from './saved-workflow.js'

/** Revisions of a workflow that are kept; older ones are forgotten, what ran keeps its own document. */
export const MAX_REVISIONS = 50

export const WorkflowRevision = z
  .object({ revision: z.int(), num_nodes: z.int(), created_at: Timestamp })
  .meta({ id: 'WorkflowRevision' })
export type WorkflowRevision = z.infer<typeof WorkflowRevision>

export const WorkflowRevisionDocument = WorkflowRevision.extend({
  workflow_id: z.uuid(),
  workflow: Workflow,
}).meta({ id: 'WorkflowRevisionDocument' })
export type WorkflowRevisionDocument = z.infer<typeof WorkflowRevisionDocument>

export const SaveDraftRequest = z
  .strictObject({
    base_revision: z.int().min(1).meta({ description: 'The revision that the draft changes' }),
    workflow: z.looseObject({}).meta({ description: 'A saved file as it stands in an editor' }),
    replaces: Timestamp.nullable().optional().meta({
      description:
        'updated_at of the draft whose place it takes, null: there is none. Refused when that is not so; absent: any draft is replaced',
    }),
  })
  .meta({ id: 'SaveDraftRequest' })

/** What an editor holds and has not saved. There is one per workflow; saving a revision forgets it. */
export const WorkflowDraft = z
  .object({ workflow_id: z.uuid(), base_revision: z.int(), updated_at: Timestamp, workflow: Workflow })
  .meta({ id: 'WorkflowDraft' })
export type WorkflowDraft = z.infer<typeof WorkflowDraft>
