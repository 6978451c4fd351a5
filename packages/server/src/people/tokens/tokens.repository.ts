import type { Role, Token } from '@medloom/contracts'
import type { Selectable, Transaction } from 'kysely'
import { batches } from '../../database/batches.js'
import type { Connection, Database } from '../../database/database.js'
import type { Tables, TokenRow } from '../../database/schema.js'
import { type Page, readPageToken, toPage } from '../../http/pagination.js'
import type { Actor } from '../../security/actor.js'

/** Tokens and their logins, stored as digests. Queries that each request needs wait for no transaction. */
export class TokensRepository {
  constructor(private readonly database: Database) {}

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  /** True if a token has ever existed: from the first one on, requests need a token. */
  async exists(connection: Connection = this.database.reading): Promise<boolean> {
    return (await connection.selectFrom('tokens').select('number').limit(1).executeTakeFirst()) !== undefined
  }

  async insert(
    { user, identifiers, ...token }: Omit<Token, 'revoked_at' | 'last_used_at'>,
    digest: string,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    await transaction
      .insertInto('tokens')
      .values({ ...token, user_name: user, identifiers: Number(identifiers), digest })
      .execute()
  }

  /** User of this token, while it is valid. @param now ISO 8601 */
  async actorByToken(digest: string, now: string): Promise<Actor | undefined> {
    const row = await this.#good(now).where('tokens.digest', '=', digest).executeTakeFirst()
    return row && actorOf(row)
  }

  /** User of this login, while it and its token are valid. */
  async actorBySession(digest: string, now: string): Promise<Actor | undefined> {
    const row = await this.#goodLogins(now).where('sessions.digest', '=', digest).executeTakeFirst()
    return row && { ...actorOf(row), login: digest }
  }

  /** The valid ones of these tokens. */
  async good(tokenIds: readonly string[], now: string): Promise<Set<string>> {
    const found = new Set<string>()
    for await (const ids of batches(tokenIds))
      for (const { token_id } of await this.#good(now).where('tokens.token_id', 'in', ids).execute())
        found.add(token_id)
    return found
  }

  /** The logins (by digest) that are valid together with their tokens. */
  async goodLogins(digests: readonly string[], now: string): Promise<Set<string>> {
    const found = new Set<string>()
    for await (const some of batches(digests)) {
      const rows = this.#goodLogins(now).select('sessions.digest').where('sessions.digest', 'in', some)
      for (const { digest } of await rows.execute()) found.add(digest)
    }
    return found
  }

  /** Ids of valid tokens of administrators, at most two. */
  async administrators(now: string, transaction: Transaction<Tables>): Promise<string[]> {
    const rows = await this.#good(now, transaction).where('role', '=', 'admin').limit(2).execute()
    return rows.map(({ token_id }) => token_id)
  }

  async find(tokenId: string, connection: Connection = this.database): Promise<Token | undefined> {
    const row = await connection
      .selectFrom('tokens')
      .select(TOKEN)
      .where('token_id', '=', tokenId)
      .executeTakeFirst()
    return row && tokenOf(row)
  }

  /** Newest first. */
  async list(size: number, pageToken: string | undefined): Promise<Page<Token>> {
    const before = readPageToken(pageToken)
    let query = this.database
      .selectFrom('tokens')
      .select(['number', ...TOKEN])
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(tokenOf) }
  }

  /** Removes its logins too. @returns false when it was already revoked. */
  async revoke(tokenId: string, now: string, transaction: Transaction<Tables>): Promise<boolean> {
    await transaction.deleteFrom('sessions').where('token_id', '=', tokenId).execute()
    const { numUpdatedRows } = await transaction
      .updateTable('tokens')
      .set({ revoked_at: now })
      .where('token_id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** A lost update does no harm, so the commit does not wait for the disk. */
  async used(tokenId: string, now: string): Promise<void> {
    await this.database.withoutWaiting(async (transaction) => {
      await transaction
        .updateTable('tokens')
        .set({ last_used_at: now })
        .where('token_id', '=', tokenId)
        .execute()
    })
  }

  /** Store a login; expired ones are removed. */
  async addSession(
    session: { readonly digest: string; readonly token_id: string; readonly expires_at: string },
    now: string,
  ): Promise<void> {
    await this.transaction(async (transaction) => {
      await transaction.deleteFrom('sessions').where('expires_at', '<=', now).execute()
      await transaction.insertInto('sessions').values(session).execute()
    })
  }

  /** @returns the user of the login; undefined: it does not exist. */
  async removeSession(digest: string, transaction: Transaction<Tables>): Promise<string | undefined> {
    const row = await transaction
      .deleteFrom('sessions')
      .where('digest', '=', digest)
      .returning('token_id')
      .executeTakeFirst()
    return row?.token_id
  }

  /** Store the end of a login that has no row of its own; ends of expired logins are removed. */
  async endLogin(
    login: { readonly digest: string; readonly expires_at: string },
    now: string,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    await transaction.deleteFrom('ended_logins').where('expires_at', '<=', now).execute()
    await transaction
      .insertInto('ended_logins')
      .values(login)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** The logins (by digest) that were passed to `endLogin`. */
  async endedLogins(digests: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>()
    for await (const some of batches(digests)) {
      const rows = this.database.reading
        .selectFrom('ended_logins')
        .select('digest')
        .where('digest', 'in', some)
      for (const { digest } of await rows.execute()) found.add(digest)
    }
    return found
  }

  #goodLogins(now: string) {
    return this.#good(now)
      .innerJoin('sessions', 'sessions.token_id', 'tokens.token_id')
      .where('sessions.expires_at', '>', now)
  }

  #good(now: string, connection: Connection = this.database.reading) {
    return connection
      .selectFrom('tokens')
      .select(['tokens.token_id', 'user_name', 'role', 'identifiers'])
      .where('revoked_at', 'is', null)
      .where((where) =>
        where.or([where('tokens.expires_at', 'is', null), where('tokens.expires_at', '>', now)]),
      )
  }
}

const TOKEN = [
  'token_id',
  'name',
  'user_name',
  'role',
  'identifiers',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const satisfies readonly (keyof TokenRow)[]

function tokenOf(row: Pick<Selectable<TokenRow>, (typeof TOKEN)[number]>): Token {
  const { token_id, name, user_name, role, identifiers, created_at, expires_at, revoked_at, last_used_at } =
    row
  return {
    ...{ token_id, name, user: user_name, role: role as Role, identifiers: identifiers === 1 },
    ...{ created_at, expires_at, revoked_at, last_used_at },
  }
}

function actorOf(row: Pick<Selectable<TokenRow>, 'token_id' | 'user_name' | 'role' | 'identifiers'>): Actor {
  const { token_id, user_name, role, identifiers } = row
  return { token_id, user: user_name, role: role as Role, identifiers: identifiers === 1 }
}
