import { z } from 'zod'
import { ROLES } from './access.js'

/** Cookie of a logged-in browser. Its value never contains a token. */
export const SESSION_COOKIE = 'medloom_session'

export const Login = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(1000)
    .meta({ description: 'Token of the service, or the content of the file of --token-file' }),
})

/** Information that a page needs before its first request. */
export const Session = z
  .object({
    token_required: z.boolean().meta({
      description:
        'Whether a token is required: the service was started with --token-file, or a user has a token',
    }),
    authenticated: z.boolean().meta({
      description:
        'Whether the caller can use the interface, by a token, by a login or because no token is required',
    }),
    user: z.string().nullable().meta({ description: 'User name of the caller; null if not authenticated' }),
    role: z.enum(ROLES).nullable().meta({ description: 'Role of the caller' }),
    identifiers: z.boolean().meta({
      description: 'Whether the caller is permitted to read values that identify patients',
    }),
    token_id: z.uuid().nullable().meta({ description: 'Named token of the request or login' }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>
