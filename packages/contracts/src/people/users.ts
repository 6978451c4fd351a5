import { z } from 'zod'
import { LOCAL_USER, ME, ROLES, SERVICE_USER } from '../access.js'

/** Users of a service. A user has tokens instead of a password, and is created together with the first token. */

const RESERVED: readonly string[] = [LOCAL_USER, SERVICE_USER, ME]

export const UserName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, {
    error: 'expected 1 to 64 of the characters a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
  })
  .refine((name) => !RESERVED.includes(name), {
    error: `the names ${RESERVED.join(', ')} are reserved`,
  })

/** Owner of an item. */
export const owner = z.string().nullable().meta({
  description: 'Name of the user who created it; null: created by a version without users',
})

/** Query of a list of items with owners. */
export const ownerQuery = {
  owner: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: `Items of this user; ${ME}: of the caller` }),
}

const slots = (what: string, unset: string) =>
  z
    .int()
    .min(0)
    .max(100_000)
    .nullable()
    .meta({ description: `${what}; null: ${unset}` })

export const Quotas = z
  .strictObject({
    max_running_jobs: slots('Maximum number of training jobs that run at the same time', 'no limit'),
    max_queued_jobs: slots(
      'Maximum number of queued training jobs',
      'half of the queue if there are several users, otherwise no limit',
    ),
  })
  .meta({ id: 'Quotas' })
export type Quotas = z.infer<typeof Quotas>

export const User = Quotas.extend({
  user: z.string(),
  role: z
    .enum(ROLES)
    .nullable()
    .meta({ description: 'Highest role of the active tokens; null: no active token' }),
  running_jobs: z.int(),
  queued_jobs: z.int(),
})
  .strip()
  .meta({ id: 'User' })
export type User = z.infer<typeof User>
