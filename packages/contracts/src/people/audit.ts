import { z } from 'zod'
import { Timestamp } from '../timestamp.js'

/** Audit log entry: who changed something or read patient identifiers, when and from where. It contains no body, patient value or path. */
export const AuditEntry = z
  .object({
    number: z.int().meta({ description: 'Order of the entries' }),
    created_at: Timestamp.meta({ description: 'Before the work began' }),
    user: z.string().nullable().meta({ description: 'null: the request showed no good token' }),
    token_id: z.uuid().nullable().meta({ description: 'null: no named token' }),
    operation: z.string().meta({ description: 'As in /openapi.json, such as startTraining' }),
    ids: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids in the address of the request, and of what it made' }),
    outcome: z.int().nullable().meta({
      description: 'HTTP status of the response; null: the work goes on, or the service ended meanwhile',
    }),
    code: z.string().nullable().meta({ description: 'Of an error' }),
    address: z.string().meta({ description: 'Where the request came from' }),
    request_id: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>
