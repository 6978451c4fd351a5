import { z } from 'zod'
import { Timestamp } from '../timestamp.js'

/** A trainer without progress. The service does not stop it, because it may continue by itself. */
export const Stalled = z
  .object({
    since: Timestamp.meta({ description: 'The last step' }),
    doing: z.string().meta({ description: 'What the trainer was doing then' }),
    remedy: z.string(),
  })
  .meta({ id: 'Stalled' })
export type Stalled = z.infer<typeof Stalled>
