import { z } from 'zod'
import { Timestamp } from '../timestamp.js'

/** Audit log entry: who changed something or read patient identifiers, when and from where. It contains no body, patient value or path. */
export const AuditEntry = z
  .object({
    number: z.int().meta({ description: 'Sequence number of the entry' }),
    created_at: Timestamp.meta({ description: 'Time before the operation started' }),
    user: z.string().nullable().meta({ description: 'null: the request had no valid token' }),
    token_id: z.uuid().nullable().meta({ description: 'null: no named token' }),
    operation: z.string().meta({ description: 'Operation id in /openapi.json, such as startTraining' }),
    ids: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids in the URL of the request, and of created items' }),
    outcome: z.int().nullable().meta({
      description:
        'HTTP status of the response; null: the operation is in progress, or the service stopped during it',
    }),
    code: z.string().nullable().meta({ description: 'Error code' }),
    address: z.string().meta({ description: 'Network address of the client' }),
    request_id: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>
