import { z } from 'zod'
import { Timestamp } from '../timestamp.js'
import { Metrics } from './metrics.js'

/** Saved weights and state of a job. */
export const Checkpoint = z
  .object({
    name: z.string(),
    path: z.string(),
    epoch: z.int(),
    metrics: Metrics,
    size_bytes: z.int(),
    created_at: Timestamp,
    digest: z.string(),
  })
  .meta({ id: 'Checkpoint' })
export type Checkpoint = z.infer<typeof Checkpoint>
