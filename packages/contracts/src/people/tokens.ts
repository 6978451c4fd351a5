import { z } from 'zod'
import { ROLES } from '../access.js'
import { Timestamp } from '../timestamp.js'
import { UserName } from './users.js'

/** Prefix of every named token, so that people and secret scanners recognize it. */
export const TOKEN_PREFIX = 'mdl_'

export const Token = z
  .object({
    token_id: z.uuid(),
    name: z.string(),
    user: z.string(),
    role: z.enum(ROLES),
    identifiers: z.boolean().meta({ description: 'Whether it may read values that identify patients' }),
    created_at: Timestamp,
    expires_at: Timestamp.nullable().meta({ description: 'null: it does not expire' }),
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable().meta({ description: 'Within a minute; null: never' }),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

export const CreateToken = z
  .strictObject({
    user: UserName.meta({ title: 'Whose token it is; a user may have several' }),
    name: z.string().min(1).max(100).meta({ title: 'What it is for, such as the name of a machine' }),
    role: z.enum(ROLES).meta({
      title: 'read: look at everything; run: also start work and change what is their own; admin: everything',
    }),
    identifiers: z.boolean().optional().meta({
      title: 'Whether it may read values that identify patients; left out: with the roles run and admin',
    }),
    expires_in_days: z.int().min(1).max(3650).nullable().default(null).meta({
      title: 'After so many days it is no longer good; null: it does not expire',
    }),
  })
  .meta({ id: 'CreateToken' })

export const CreatedToken = Token.extend({
  secret: z.string().meta({ description: 'The token itself. It is shown this once and stored nowhere' }),
}).meta({ id: 'CreatedToken' })
export type CreatedToken = z.infer<typeof CreatedToken>
