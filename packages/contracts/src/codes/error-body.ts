import { z } from 'zod'
import { ErrorIssue } from './issues.js'

/** Body of every error response. */
export const ErrorBody = z
  .object({
    error: z.string(),
    code: z.string(),
    details: z.string(),
    request_id: z.string().optional(),
    issues: z.array(ErrorIssue).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
