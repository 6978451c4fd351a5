import { z } from 'zod'
import { ErrorIssue } from './codes/index.js'
import { owner } from './people/users.js'
import { phrasesOf } from './phrases/phrase.js'
import { Timestamp } from './timestamp.js'

/** Work of a worker that runs in the background. */

/** Maximum number of characters of one field of the request, as JSON, in the list of tasks. */
export const LISTED_TASK_FIELD = 1000

export const TASK_STATES = ['running', 'completed', 'failed', 'cancelled'] as const

export const TaskSummary = z
  .object({
    task_id: z.uuid(),
    route: z.string().meta({ description: 'Operation id, such as evaluateModel' }),
    request: z.record(z.string(), z.unknown()).meta({
      description: `Fields of the path and body of the request, with defaults. The list of tasks leaves out fields of more than ${LISTED_TASK_FIELD} characters.`,
    }),
    state: z.enum(TASK_STATES),
    progress: z.number().min(0).max(1),
    phase: z.string().meta({ description: 'Current step, for display; empty after the end' }),
    phase_phrases: phrasesOf('phase'),
    error: z
      .object({
        error: z.string(),
        error_phrases: phrasesOf('error'),
        code: z.string(),
        details: z.string(),
        details_phrases: phrasesOf('details'),
        issues: z.array(ErrorIssue).optional(),
      })
      .nullable()
      .meta({ description: 'Error of a failed task, as in a direct response' }),
    owner,
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'TaskSummary' })
export type TaskSummary = z.infer<typeof TaskSummary>

export const BackgroundTask = TaskSummary.extend({
  result: z.unknown().meta({ description: 'Response of the operation for a completed task; otherwise null' }),
}).meta({ id: 'BackgroundTask' })
export type BackgroundTask = z.infer<typeof BackgroundTask>

/** Query of a route that can run in the background. */
export const waitQuery = z.object({
  wait: z
    .enum(['true', 'false'])
    .default('true')
    .meta({ description: 'false: respond immediately with 202 and a task (see GET /api/tasks/{task_id})' }),
})
