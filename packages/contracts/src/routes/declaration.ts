import { z } from 'zod'
import type { Access, Owned } from '../access.js'
import type { ErrorCode } from '../codes/index.js'
import { WORKFLOW_LIMITS } from '../workflow/saved-workflow.js'
import type { Identifies } from './identifiers.js'
import { LIMITS } from './limits.js'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One route with its request and response. */
export interface RouteDeclaration {
  readonly method: HttpMethod
  readonly path: string
  readonly tag:
    | 'training'
    | 'studies'
    | 'models'
    | 'aliases'
    | 'evaluations'
    | 'predictions'
    | 'follow-ups'
    | 'datasets'
    | 'files'
    | 'tasks'
    | 'workflows'
    | 'session'
    | 'people'
    | 'system'
    | 'exchange'
  /** Minimum role for the route. */
  readonly access: Access
  /** The route makes a persistent change: the audit log records the user. */
  readonly changes?: true
  /**
   * The path parameter names an item with an owner; only the owner and administrators may use the route for it. False: the route only reads,
   * creates an item of the caller, or is for administrators or attempts.
   */
  readonly owned: Owned | false
  /**
   * Requests that return values identifying patients; absent: none. They need a token with the permission for it, and the audit log records
   * the reader.
   */
  readonly identifiers?: Identifies
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** False: the body is optional. */
  readonly bodyRequired?: boolean
  /** The body contains a training configuration, which version 0.1.0 may have written. */
  readonly trains?: true
  /** Maximum body size, if it differs from LIMITS.body_bytes. */
  readonly bodyBytes?: number
  /** Maximum number of values in a body, if it differs from LIMITS.body_values. */
  readonly bodyValues?: number
  /** Maximum number of keys in one object of a body, if it differs from LIMITS.body_keys. */
  readonly bodyKeys?: number
  /** Maximum depth of a body, if it differs from LIMITS.body_depth. */
  readonly bodyDepth?: number
  /** Media type of a binary body, which the handler reads as a stream; `body` is then absent. */
  readonly takes?: 'application/octet-stream'
  /** `BYTES` if `gives` is present. */
  readonly response: z.ZodType
  /** Media types of a binary response; absent: JSON. */
  readonly gives?: readonly string[]
  /**
   * With `wait=false` in its query (waitQuery) the route responds immediately with 202 and a Task, and continues without its caller. With
   * `wait=auto`, if the query has it, the service does so for long work.
   */
  readonly background?: true
  /** A repeated request with the same Idempotency-Key returns the stored response. */
  readonly idempotent?: boolean
  /** Specific codes, in addition to those that errorsOf adds. */
  readonly errors?: readonly ErrorCode[]
}

/** Limits of a body in which columns of a table are keys. */
export const COLUMN_BODY = { bodyKeys: LIMITS.body_column_keys } as const
/** Limits of a body with a workflow. */
export const WORKFLOW_BODY = {
  ...COLUMN_BODY,
  bodyBytes: WORKFLOW_LIMITS.workflow_bytes,
  bodyValues: WORKFLOW_LIMITS.workflow_values,
} as const
/** Limits of a body with a few fields. */
export const FLAT_BODY = { bodyDepth: 4 } as const

/** Response of a route that `gives` something other than JSON. */
export const BYTES = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** The header Idempotency-Key: printable ASCII. HTTP removes spaces at both ends, so a key has none there. */
export const IdempotencyKey = z
  .string()
  .max(200)
  .regex(/^[!-~]([ -~]*[!-~])?$/)

/** Query fields of a list route. */
export const page = {
  page_size: z.coerce.number().int().min(1).max(1000).default(50),
  page_token: z.string().max(500).optional(),
}
/** Response of a list route: one page, and the token of the next. */
export const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next_page_token: z.string().nullable() } as {
    [K in Name]: z.ZodArray<Item>
  } & { next_page_token: z.ZodNullable<z.ZodString> })
