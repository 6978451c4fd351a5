import type { Transaction } from 'kysely'
import type { Database } from '../../database/database.js'
import type { Tables } from '../../database/schema.js'

export interface StoredAnswer {
  /** Digest of the request. */
  readonly body_digest: string
  /** JSON. */
  readonly answer: string
}

/** Responses to requests with an Idempotency-Key, by route and key. */
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  find(route: string, key: string): Promise<StoredAnswer | undefined> {
    return this.database
      .selectFrom('idempotency')
      .select(['body_digest', 'answer'])
      .where('route', '=', route)
      .where('key', '=', key)
      .executeTakeFirst()
  }

  async insert(
    place: { readonly route: string; readonly key: string; readonly created_at: string } & StoredAnswer,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    await transaction.insertInto('idempotency').values(place).execute()
  }

  /** Delete the responses to requests before `time`. */
  async removeBefore(time: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('idempotency').where('created_at', '<', time).execute()
  }
}
