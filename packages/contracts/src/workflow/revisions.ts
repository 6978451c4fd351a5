import { z } from 'zod'
import { Timestamp } from '../timestamp.js'
import { Workflow } from './saved-workflow.js'

/** Maximum number of stored revisions of a workflow; older ones are deleted, and runs keep their own document. */
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
    base_revision: z.int().min(1).meta({ description: 'Revision that the draft is based on' }),
    workflow: z.looseObject({}).meta({ description: 'Workflow in the current state of an editor' }),
    replaces: Timestamp.nullable().optional().meta({
      description:
        'updated_at of the draft to replace; null: there is no draft. The request is rejected if this does not match. Absent: replace any draft',
    }),
  })
  .meta({ id: 'SaveDraftRequest' })

/** Unsaved changes of an editor. There is one draft per workflow; saving a revision deletes it. */
export const WorkflowDraft = z
  .object({ workflow_id: z.uuid(), base_revision: z.int(), updated_at: Timestamp, workflow: Workflow })
  .meta({ id: 'WorkflowDraft' })
export type WorkflowDraft = z.infer<typeof WorkflowDraft>
