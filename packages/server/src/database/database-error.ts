/** A statement or commit that the database refused. */
export class DatabaseError extends Error {
  constructor(
    message: string,
    /**
     * What it means for the service, whichever database says it. `lost`: the connection ended before the response. What was asked may have
     * been done or not, a commit too, so nothing is asked again blindly.
     */
    readonly kind: 'constraint' | 'lost' | 'other',
    /** As the database names it. */
    readonly code: string | undefined,
  ) {
    super(message)
  }
}

/** Whether an error, or what caused it, is the loss of the connection to the database. */
export function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.kind === 'lost'
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isLost)
  return error instanceof Error && error.cause !== undefined && isLost(error.cause)
}
