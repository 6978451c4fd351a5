import { z } from 'zod'
import { Phrase } from './phrases/phrase.js'

/** Items that a removal deletes, or would delete with `dry_run`. */
export const Removal = z
  .object({
    id: z.string(),
    dry_run: z.boolean().meta({ description: 'True: nothing was removed' }),
    files: z.int(),
    size_bytes: z.int(),
    folders: z
      .array(z.string())
      .meta({ description: 'Absolute paths of folders that are removed with their contents' }),
    lost: z.array(z.string()).meta({
      description: 'Consequences: other items that are removed, and actions that are no longer possible',
    }),
    lost_phrases: z
      .array(Phrase)
      .optional()
      .meta({ description: 'Each line of `lost` as a phrase, for other languages' }),
  })
  .meta({ id: 'Removal' })
export type Removal = z.infer<typeof Removal>

/** Query of a route that deletes. */
export const removalQuery = z.object({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: report what would be removed, without removing it' }),
})
