import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'
import { ErrorIssue } from './issues.js'

/** Body of every error response. */
export const ErrorBody = z
  .object({
    error: z.string(),
    error_phrases: phrasesOf('error'),
    code: z.string(),
    details: z.string(),
    details_phrases: phrasesOf('details'),
    request_id: z.string().optional(),
    issues: z.array(ErrorIssue).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
