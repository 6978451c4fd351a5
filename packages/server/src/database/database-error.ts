/** A statement or commit that the database refused. */
export class DatabaseError extends Error {
  constructor(
    message: string,
    /** What it means for the service, whichever database says it. */
    readonly kind: 'disk_full' | 'io' | 'constraint' | 'other',
    /** As the database names it, for the log. */
    readonly code: string | undefined,
  ) {
    super(message)
  }
}
