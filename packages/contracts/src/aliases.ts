import { z } from 'zod'
import { ALIAS_NAME } from './alias-name.js'
import { owner } from './people/users.js'
import { Timestamp } from './timestamp.js'

/** Names for models that move from version to version, with their complete history. */

export const AliasName = z.string().regex(ALIAS_NAME, {
  error:
    'expected 1 to 63 of the characters a-z, 0-9, "." and "-", starting with a letter or digit, and not "latest"',
})

export const SetAlias = z
  .strictObject({
    model_id: z.string().min(1).max(200).meta({ title: 'Model id, or an alias of the model' }),
    evaluation_id: z.string().min(1).max(100).optional().meta({
      title:
        'Evaluation of the model that supports the decision. Default: its latest evaluation on a test split',
    }),
    note: z.string().max(2000).optional().meta({ title: 'Reason, for the history' }),
  })
  .meta({ id: 'SetAlias' })

export const AliasMove = z
  .object({
    alias: z.string(),
    number: z.int().meta({ description: 'Position in the history of the alias, from 1' }),
    model_id: z.string().nullable().meta({ description: 'Null: the alias was removed, or its model was' }),
    weights_digest: z
      .string()
      .nullable()
      .meta({ description: 'sha256 of the weights of the best checkpoint at that time' }),
    evaluation_id: z.string().nullable().meta({ description: 'Evaluation that supports the decision' }),
    note: z.string().nullable(),
    set_by: owner,
    set_at: Timestamp,
    until: Timestamp.nullable().meta({ description: 'Time of the next move; null: current' }),
  })
  .meta({ id: 'AliasMove' })
export type AliasMove = z.infer<typeof AliasMove>
