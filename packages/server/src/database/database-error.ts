/** A statement or commit that the database refused. */
export class DatabaseError extends Error {
  constructor(
    message: string,
    /**
     * Meaning of the error for the service, independent of the database. `lost`: the connection ended before the response, so the statement
     * (even a commit) may or may not have been executed. It is therefore never retried blindly.
     */
    readonly kind: 'constraint' | 'lost' | 'other',
    /** Error code of the database. */
    readonly code: string | undefined,
  ) {
    super(message)
  }
}

/** Returns true if the error, or its cause, is a lost connection to the database. */
export function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.kind === 'lost'
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isLost)
  return error instanceof Error && error.cause !== undefined && isLost(error.cause)
}
