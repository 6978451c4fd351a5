import { z } from 'zod'

/** The cookie of a browser that is logged in. Its value follows from the token of the service and never holds it. */
export const SESSION_COOKIE = 'medloom_session'

export const Login = z.strictObject({
  token: z.string().min(1).max(1000).meta({ description: 'The line of the file that --token-file names' }),
})

/** What a page must know before its first request. */
export const Session = z
  .object({
    token_required: z.boolean().meta({ description: 'Whether the service was started with --token-file' }),
    authenticated: z.boolean().meta({
      description:
        'Whether the caller may use the interface: by a token, a login, or because none is required',
    }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>
