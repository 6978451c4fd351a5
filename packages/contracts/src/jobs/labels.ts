import { z } from 'zod'
import { PHRASES } from '../phrases/index.js'
import { NO_CONTROL_CHARACTERS } from '../validation/no-control-characters.js'

/** User annotations of a job, editable at any time and without effect on the training. */

export const JobName = z
  .string()
  .min(1)
  .max(200)
  .regex(NO_CONTROL_CHARACTERS, { error: PHRASES.control_characters })

/** Maximum number of tags per job. */
const MAX_TAGS = 20

/** Lower case, without surrounding spaces and with single spaces between words, so that different spellings are the same tag. */
export const Tag = z
  .string()
  .max(1000)
  .transform((text) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase())
  .pipe(
    z
      .string()
      .min(1, { error: PHRASES.empty_tag })
      .max(50, { error: PHRASES.long_tag })
      .regex(NO_CONTROL_CHARACTERS, { error: PHRASES.control_characters })
      .regex(/^[^,]*$/, { error: PHRASES.comma_in_tag }),
  )

export const JobEdit = z
  .strictObject({
    job_name: JobName.optional().meta({ title: 'Name of the job' }),
    tags: z
      .array(Tag)
      .max(1000)
      .transform((tags) => [...new Set(tags)])
      .pipe(z.array(z.string()).max(MAX_TAGS, { error: `a job has at most ${MAX_TAGS} tags` }))
      .optional()
      .meta({
        title: `All tags of the job, replacing the previous tags: at most ${MAX_TAGS}, of at most 50 characters, stored in lower case`,
      }),
    note: z.string().max(10_000).optional().meta({ title: 'Note on the job, as plain text or Markdown' }),
    pinned: z.boolean().optional().meta({ title: 'Whether the job is pinned' }),
    archived: z
      .boolean()
      .optional()
      .meta({ title: 'Whether the job is archived; lists omit archived jobs by default' }),
  })
  .meta({ id: 'JobEdit', description: 'Fields to change; absent fields do not change' })
export type JobEdit = z.infer<typeof JobEdit>

/** Annotations in the job record. */
export const LABELS = {
  tags: z.array(z.string()).meta({ description: 'Tags in the order in which they were set' }),
  note: z.string().meta({ description: 'Plain text or Markdown; empty without a note' }),
  pinned: z.boolean(),
  archived: z.boolean().meta({ description: 'Lists omit the job by default' }),
} as const

export const TagsInUse = z
  .object({
    tags: z
      .array(
        z.object({
          tag: z.string(),
          jobs: z.int().meta({ description: 'Number of jobs, including archived jobs' }),
        }),
      )
      .meta({ description: 'Most frequent first' }),
  })
  .meta({ id: 'TagsInUse' })
export type TagsInUse = z.infer<typeof TagsInUse>
