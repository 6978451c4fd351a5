import { z } from 'zod'
import { PHRASES } from '../phrases/index.js'

/** Reference to a version of a workflow. */
const Version = z.union([z.enum(['saved', 'draft']), z.coerce.number().int().min(1)], {
  error: PHRASES.version_of_workflow,
})

export const DifferenceQuery = z.object({
  from: Version.default('saved').meta({
    description: 'Base version: the number of a revision, saved (the newest revision) or draft',
  }),
  to: Version.optional().meta({
    description: 'Version to compare with. Default: the draft, or the newest revision of another workflow',
  }),
  other_workflow_id: z.uuid().optional().meta({
    description: 'Workflow of the version `to`. Default: the same workflow',
  }),
})
export type DifferenceQuery = z.output<typeof DifferenceQuery>

const ComparedVersion = z.object({
  workflow_id: z.uuid(),
  version: z.enum(['revision', 'draft']),
  revision: z.int().meta({ description: 'Revision; for a draft, the revision that it is based on' }),
})

const FieldDifference = z.object({
  field: z
    .string()
    .meta({ description: 'Dotted path to a field of a config; deeper structures are one value' }),
  from: z.unknown().meta({ description: 'null: no value' }),
  to: z.unknown().meta({ description: 'null: no value' }),
})
export type FieldDifference = z.infer<typeof FieldDifference>

/** Difference of one item between two versions of a workflow. */
const ItemDifference = z.object({
  list: z.enum(['metadata', 'nodes', 'connections', 'groups', 'notes']),
  id: z.string().meta({ description: 'Id of the item; for metadata, the field' }),
  how: z.enum(['added', 'removed', 'changed']),
  item: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'The added or removed item; null for a changed item',
  }),
  fields: z.array(FieldDifference).meta({ description: 'Differences of a changed item' }),
})
export type ItemDifference = z.infer<typeof ItemDifference>

export const WorkflowDifference = z
  .object({
    from: ComparedVersion,
    to: ComparedVersion,
    differences: z.array(ItemDifference).meta({
      description:
        'Empty if the versions are identical. The order of items and the execution history are ignored',
    }),
  })
  .meta({ id: 'WorkflowDifference' })
export type WorkflowDifference = z.infer<typeof WorkflowDifference>
