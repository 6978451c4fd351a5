import { DatabaseError } from '../database-error.js'

/** Classes and codes of SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const KINDS: readonly (readonly [RegExp, DatabaseError['kind']])[] = [
  // Connection failures, shutdown of the server, and the end of a session that was idle in a transaction.
  [/^(08|57P0|25P03)/, 'lost'],
  [/^23/, 'constraint'],
]

/**
 * The server's error without its details, which contain values of rows. An error that does not come from the server means that the
 * connection ended.
 */
export function errorOf(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { message, code, severity } = error as { message: string; code?: string; severity?: string }
  if (severity === undefined || code === undefined) return lost(message, code)
  const kind = /^(FATAL|PANIC)$/.test(severity) ? 'lost' : KINDS.find(([codes]) => codes.test(code))?.[1]
  return new DatabaseError(message, kind ?? 'other', code)
}

/** The code of the socket is dropped: the same code occurs when a client of the service disconnects. */
export function lost(cause: string, code = ''): DatabaseError {
  const message = `the connection to the database server was lost: ${cause}`
  return new DatabaseError(
    message,
    'lost',
    /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : undefined,
  )
}
