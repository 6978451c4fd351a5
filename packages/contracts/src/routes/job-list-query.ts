import { z } from 'zod'
import { commaSeparated } from '../jobs/curves.js'
import { Tag } from '../jobs/labels.js'
import { JOB_STATUSES } from '../jobs/status.js'
import { ownerQuery } from '../people/users.js'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { page } from './declaration.js'

/** Jobs per page with view=full. */
const FULL_PAGE = 100

/** Query of a list of jobs. */
export const JobListQuery = z
  .object({
    ...page,
    page_token: z.string().max(2000).optional(),
    view: z
      .enum(['summary', 'full'])
      .default('summary')
      .meta({ description: `full: complete job records, at most ${FULL_PAGE} per page` }),
    q: z.string().max(200).optional().meta({
      description:
        'Words that must all occur in the name, tags, note or path of the training table, or at the start of the id; letter case of A to Z is ignored',
    }),
    tags: commaSeparated(z.string().max(2000))
      .pipe(z.array(Tag).min(1).max(20))
      .optional()
      .meta({ description: 'Comma-separated tags; jobs with all of them' }),
    status: commaSeparated(z.string().max(200))
      .pipe(z.array(z.enum(JOB_STATUSES)).min(1).max(JOB_STATUSES.length))
      .optional()
      .meta({ description: 'Comma-separated values; jobs with one of them' }),
    archived: z
      .enum(['false', 'true', 'all'])
      .default('false')
      .meta({ description: 'true: only archived jobs; all: also archived jobs' }),
    pinned: z.enum(['false', 'true']).optional(),
    study_id: z.uuid().optional().meta({ description: 'Jobs of this study' }),
    ...ownerQuery,
    order_by: z
      .string()
      .max(200)
      .regex(/^(created_at|name|status|duration|metrics\..+)$/, {
        error: 'expected created_at, name, status, duration, or metrics. followed by the name of a metric',
      })
      .default('created_at')
      .meta({
        description:
          'created_at, name, status, duration (from start to end) or a metric of the best epoch, such as metrics.val_auc. Jobs without a value come last',
      }),
    order: z.enum(['asc', 'desc']).default('desc'),
  })
  .superRefine(({ view, page_size }, context) => {
    if (view === 'full' && page_size > FULL_PAGE)
      context.addIssue({
        code: 'custom',
        path: ['page_size'],
        ...refusal(
          phrase('full_page_limit', { count: FULL_PAGE }),
          phrase('smaller_full_page', { count: FULL_PAGE }),
        ),
      })
  })
export type JobListQuery = z.output<typeof JobListQuery>
