import { z } from 'zod'
import { NO_CONTROL_CHARACTERS } from '../validation/no-control-characters.js'

/** User annotations of a job, editable at any time and without effect on the training. */

export const JobName = z
  .string()
  .min(1)
  .max(200)
  .regex(NO_CONTROL_CHARACTERS, { error: 'no control characters' })

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
      .min(1, { error: 'a tag is not empty' })
      .max(50, { error: 'a tag has at most 50 characters' })
      .regex(NO_CONTROL_CHARACTERS, { error: 'no control characters' })
      .regex(/^[^,]*$/, { error: 'no comma: it stands between tags' }),
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
        title: `All tags of the job, in place of those before: at most ${MAX_TAGS}, of at most 50 characters, kept in lower case`,
      }),
    note: z.string().max(10_000).optional().meta({ title: 'Text about the job, plain or Markdown' }),
    pinned: z.boolean().optional().meta({ title: 'Whether the job is among those to keep in view' }),
    archived: z.boolean().optional().meta({ title: 'Whether lists leave the job out' }),
  })
  .meta({ id: 'JobEdit', description: 'What changes; what is absent stays as it is' })
export type JobEdit = z.infer<typeof JobEdit>

/** Annotations in the job record. */
export const LABELS = {
  tags: z.array(z.string()).meta({ description: 'In the order in which they were given' }),
  note: z.string().meta({ description: 'Plain text or Markdown; empty without one' }),
  pinned: z.boolean(),
  archived: z.boolean().meta({ description: 'Lists leave it out unless they are asked for it' }),
} as const

export const TagsInUse = z
  .object({
    tags: z
      .array(z.object({ tag: z.string(), jobs: z.int().meta({ description: 'Archived ones too' }) }))
      .meta({ description: 'The most frequent first' }),
  })
  .meta({ id: 'TagsInUse' })
export type TagsInUse = z.infer<typeof TagsInUse>
