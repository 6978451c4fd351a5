import { z } from 'zod'
import { ROLES } from './access.js'

/** Cookie of a logged-in browser. Its value never contains a token. */
export const SESSION_COOKIE = 'medloom_session'

export const Login = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(1000)
    .meta({ description: 'A token of the service, or the line of the file that --token-file names' }),
})

/** Information that a page needs before its first request. */
export const Session = z
  .object({
    token_required: z
      .boolean()
      .meta({ description: 'Whether the service was started with --token-file or has a token of a user' }),
    authenticated: z.boolean().meta({
      description:
        'Whether the caller may use the interface: by a token, a login, or because none is required',
    }),
    user: z.string().nullable().meta({ description: 'Who the caller is; null where not authenticated' }),
    role: z.enum(ROLES).nullable().meta({ description: 'What the caller may do' }),
    identifiers: z.boolean().meta({
      description: 'Whether the caller may read values that identify patients',
    }),
    token_id: z.uuid().nullable().meta({ description: 'The named token that was shown or logged in with' }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>
