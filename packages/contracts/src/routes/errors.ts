import type { ErrorCode } from '../codes/index.js'
import type { RouteDeclaration } from './declaration.js'

/** Codes that every route may return. */
export const GENERAL_ERRORS = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN_HOST',
  'FORBIDDEN_ORIGIN',
  'TOO_MANY_REQUESTS',
  'DISK_FULL',
  'STORAGE_FAILED',
  'STORAGE_DENIED',
  'DATA_FOLDER_MISSING',
  'DATABASE_DAMAGED',
  'PATH_TOO_LONG',
  'TOO_MANY_FILES',
  'DATABASE_UNAVAILABLE',
  'CONTROLLER_UNAVAILABLE',
  'CONTROLLER_LOST',
  'INTERNAL',
] as const satisfies readonly ErrorCode[]

/** Codes of the table and image readers. */
export const DATA_ERRORS = [
  'DATASET_INVALID',
  'CSV_MALFORMED',
  'COLUMN_NOT_FOUND',
  'LABEL_NOT_FOUND',
  'LABEL_INVALID',
  'IMAGES_UNREADABLE',
] as const satisfies readonly ErrorCode[]

/** Codes of routes that use a Python worker. */
export const WORKER_ERRORS = [
  'DEVICE_UNAVAILABLE',
  'OUT_OF_MEMORY',
  'TRAINER_FAILED',
  'WORKER_TIMEOUT',
  'PYTHON_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** All codes that a route may return: its own, those of its body, page and idempotency key, and the general ones. */
export function errorsOf(route: RouteDeclaration): readonly ErrorCode[] {
  return [
    ...(route.errors ?? []),
    ...(route.body
      ? (['INVALID_JSON', 'UNKNOWN_FIELD', 'PAYLOAD_TOO_LARGE', 'PAYLOAD_TOO_DEEP'] as const)
      : []),
    ...(route.query && 'page_token' in route.query.shape ? (['INVALID_PAGE_TOKEN'] as const) : []),
    ...(route.background ? (['QUEUE_FULL'] as const) : []),
    ...(route.access === 'run' || route.access === 'admin' || route.identifiers
      ? (['FORBIDDEN'] as const)
      : []),
    ...(route.idempotent ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
    ...GENERAL_ERRORS,
  ]
}

/** Codes of a request that reads a table. */
export const TABLE_ERRORS = [
  'PATH_NOT_ALLOWED',
  'FILE_NOT_FOUND',
  'FILE_NOT_REGULAR',
  'TABLE_TOO_LARGE',
  ...DATA_ERRORS,
] as const satisfies readonly ErrorCode[]
