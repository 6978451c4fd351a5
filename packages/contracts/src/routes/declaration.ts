import { z } from 'zod'
import type { Access, Owned } from '../access.js'
import type { ErrorCode } from '../codes/index.js'
import type { Identifies } from './identifiers.js'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One route: what it takes and gives. */
export interface RouteDeclaration {
  readonly method: HttpMethod
  readonly path: string
  readonly tag:
    | 'training'
    | 'studies'
    | 'models'
    | 'evaluations'
    | 'datasets'
    | 'files'
    | 'tasks'
    | 'workflows'
    | 'session'
    | 'people'
    | 'system'
    | 'exchange'
  /** The least role that may use it. */
  readonly access: Access
  /** It changes something that stays: the audit log names who did it. */
  readonly changes?: true
  /**
   * The parameter of its path names something that belongs to somebody; only they and administrators may use the route on it. False: it only
   * reads, makes something that belongs to the caller, or is for administrators or attempts.
   */
  readonly owned: Owned | false
  /**
   * The requests that get values that identify patients; absent: none. They need a token with the permission for it, and the audit log
   * names who read them.
   */
  readonly identifiers?: Identifies
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** False: the body may be left out. */
  readonly bodyRequired?: boolean
  /** Largest body where it is not LIMITS.body_bytes. */
  readonly bodyBytes?: number
  /** Most values in a body where it is not LIMITS.body_values. */
  readonly bodyValues?: number
  /** Media type of a body of bytes, which the handler reads as a stream; `body` is absent then. */
  readonly takes?: 'application/octet-stream'
  /** `BYTES` where `gives` is there. */
  readonly response: z.ZodType
  /** Media types of a response of bytes; absent: JSON. */
  readonly gives?: readonly string[]
  /** With `wait=false` in its query (waitQuery) it responds at once with 202 and a Task, and goes on without its caller. */
  readonly background?: true
  /** A repeated request with the same Idempotency-Key gets the stored response. */
  readonly idempotent?: boolean
  /** Codes of its own, beside those that errorsOf adds. */
  readonly errors?: readonly ErrorCode[]
}

/** The response of a route that `gives` something else than JSON. */
export const BYTES = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** The header Idempotency-Key: printable ASCII. HTTP takes spaces at both ends away, so a key has none there. */
export const IdempotencyKey = z
  .string()
  .max(200)
  .regex(/^[!-~]([ -~]*[!-~])?$/)

/** Query fields of a route that lists. */
export const page = {
  page_size: z.coerce.number().int().min(1).max(1000).default(50),
  page_token: z.string().max(500).optional(),
}
/** Response of a route that lists: one page, and the token of the next. */
export const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next_page_token: z.string().nullable() } as {
    [K in Name]: z.ZodArray<Item>
  } & { next_page_token: z.ZodNullable<z.ZodString> })
