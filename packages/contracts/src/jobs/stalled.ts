import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'

/** A trainer without progress. The service does not stop it, because it may continue by itself. */
export const Stalled = z
  .object({
    since: Timestamp.meta({ description: 'Time of the last step' }),
    doing: z.string().meta({ description: 'Phase of the trainer at that time' }),
    doing_phrases: phrasesOf('doing'),
    remedy: z.string(),
    remedy_phrases: phrasesOf('remedy'),
  })
  .meta({ id: 'Stalled' })
export type Stalled = z.infer<typeof Stalled>
