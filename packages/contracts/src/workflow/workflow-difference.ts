import { z } from 'zod'

/** Reference to a version of a workflow. */
const Version = z.union([z.enum(['saved', 'draft']), z.coerce.number().int().min(1)], {
  error: 'give the number of a revision, "saved" for the newest one, or "draft"',
})

export const DifferenceQuery = z.object({
  from: Version.default('saved').meta({
    description: 'Version to start from: the number of a revision, saved (the newest one) or draft',
  }),
  to: Version.optional().meta({
    description: 'Version to compare with it; absent: the draft, or what is saved of another workflow',
  }),
  other_workflow_id: z.uuid().optional().meta({
    description: 'Workflow that `to` is a version of; absent: the same one',
  }),
})
export type DifferenceQuery = z.output<typeof DifferenceQuery>

const ComparedVersion = z.object({
  workflow_id: z.uuid(),
  version: z.enum(['revision', 'draft']),
  revision: z.int().meta({ description: 'Of a draft: the revision that it changes' }),
})

const FieldDifference = z.object({
  field: z
    .string()
    .meta({ description: 'Dotted down to the fields of a config; what lies deeper is one value' }),
  from: z.unknown().meta({ description: 'null: there is none' }),
  to: z.unknown().meta({ description: 'null: there is none' }),
})
export type FieldDifference = z.infer<typeof FieldDifference>

/** Difference of one item between two versions of a workflow. */
const ItemDifference = z.object({
  list: z.enum(['metadata', 'nodes', 'connections', 'groups', 'notes']),
  id: z.string().meta({ description: 'Of the item; of metadata: the field' }),
  how: z.enum(['added', 'removed', 'changed']),
  item: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'What was added or removed; null: it was changed',
  }),
  fields: z.array(FieldDifference).meta({ description: 'What differs of a changed item' }),
})
export type ItemDifference = z.infer<typeof ItemDifference>

export const WorkflowDifference = z
  .object({
    from: ComparedVersion,
    to: ComparedVersion,
    differences: z.array(ItemDifference).meta({
      description: 'Empty: both say the same. The order of items, and what has run, say nothing',
    }),
  })
  .meta({ id: 'WorkflowDifference' })
export type WorkflowDifference = z.infer<typeof WorkflowDifference>
