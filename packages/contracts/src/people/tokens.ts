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
    identifiers: z
      .boolean()
      .meta({ description: 'Whether the token permits reading values that identify patients' }),
    created_at: Timestamp,
    expires_at: Timestamp.nullable().meta({ description: 'null: it does not expire' }),
    revoked_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable().meta({
      description: 'Time of the last use, accurate to a minute; null: never used',
    }),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

export const CreateToken = z
  .strictObject({
    user: UserName.meta({ title: 'User of the token; a user can have several tokens' }),
    name: z.string().min(1).max(100).meta({ title: 'Purpose of the token, such as the name of a machine' }),
    role: z.enum(ROLES).meta({
      title: 'read: view everything. run: also start work and change own items. admin: everything',
    }),
    identifiers: z.boolean().optional().meta({
      title:
        'Whether the token permits reading values that identify patients. Default: true for the roles run and admin',
    }),
    expires_in_days: z.int().min(1).max(3650).nullable().default(null).meta({
      title: 'Number of days after which the token expires; null: it does not expire',
    }),
  })
  .meta({ id: 'CreateToken' })

export const CreatedToken = Token.extend({
  secret: z.string().meta({ description: 'The token. It is shown only once and is not stored' }),
}).meta({ id: 'CreatedToken' })
export type CreatedToken = z.infer<typeof CreatedToken>
