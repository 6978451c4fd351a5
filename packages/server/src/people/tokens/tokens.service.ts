import { randomUUID } from 'node:crypto'
import { type CreatedToken, phrase, type RouteRequest, type Token } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../../database/schema.js'
import { AppError } from '../../errors.js'
import type { UsersRepository } from '../users.repository.js'
import type { TokenAuthentication } from './authentication.js'
import type { OpenConnections } from './open-connections.js'
import { newToken, secretDigest } from './secret.js'
import type { TokensRepository } from './tokens.repository.js'

const DAY_MILLISECONDS = 24 * 3600 * 1000

export interface TokensServiceOptions {
  readonly tokens: TokensRepository
  readonly users: UsersRepository
  readonly authentication: Pick<TokenAuthentication, 'begin'>
  readonly connections: Pick<OpenConnections, 'closeToken'>
  /** True if the service can be administrated without a named token, once one is required. */
  readonly hasServiceToken: boolean
  /** Notifies other processes, which close the connections of a token once the transaction that revokes it is committed. */
  readonly tellOthers: (tokenId: string, transaction: Transaction<Tables>) => Promise<void>
}

/** Tokens of users. The response is sent after the change is durable. */
export class TokensService {
  constructor(private readonly options: TokensServiceOptions) {}

  /** The first token of a user creates the user. @throws AppError FIRST_TOKEN_ADMIN */
  async create({
    user,
    name,
    role,
    identifiers = role !== 'read',
    expires_in_days,
  }: RouteRequest<'createToken'>['body']): Promise<CreatedToken> {
    const { tokens, users, authentication, hasServiceToken } = this.options
    const secret = newToken()
    const now = Date.now()
    const token = {
      ...{ token_id: randomUUID(), name, user, role, identifiers },
      created_at: new Date(now).toISOString(),
      expires_at:
        expires_in_days === null ? null : new Date(now + expires_in_days * DAY_MILLISECONDS).toISOString(),
    }
    await tokens.transaction(async (transaction) => {
      if (role !== 'admin' && !hasServiceToken && !(await tokens.exists(transaction)))
        throw new AppError('FIRST_TOKEN_ADMIN', phrase('first_token_role', { role }))
      await users.ensure(user, token.created_at, transaction)
      await tokens.insert(token, secretDigest(secret), transaction)
    })
    authentication.begin()
    return { ...token, revoked_at: null, last_used_at: null, secret }
  }

  async list(
    size: number,
    pageToken: string | undefined,
  ): Promise<{ tokens: Token[]; next_page_token: string | null }> {
    const { items, next_page_token } = await this.options.tokens.list(size, pageToken)
    return { tokens: items, next_page_token }
  }

  /** Also ends its logins and their connections. @throws AppError TOKEN_NOT_FOUND, TOKEN_REVOKED, LAST_ADMIN_TOKEN */
  async revoke(tokenId: string): Promise<Token> {
    const { tokens, connections, tellOthers } = this.options
    const token = await tokens.transaction(async (transaction) => {
      const found = await tokens.find(tokenId, transaction)
      if (!found) throw new AppError('TOKEN_NOT_FOUND', phrase('token_unknown'))
      const revoked_at = new Date().toISOString()
      await this.#requireAdministrator(found, revoked_at, transaction)
      if (!(await tokens.revoke(tokenId, revoked_at, transaction)))
        throw new AppError('TOKEN_REVOKED', phrase('token_was_revoked', { time: found.revoked_at ?? '' }))
      await tellOthers(tokenId, transaction)
      return { ...found, revoked_at }
    })
    connections.closeToken(tokenId)
    return token
  }

  /** Checks that the service can be administrated without this token. */
  async #requireAdministrator(token: Token, now: string, transaction: Transaction<Tables>): Promise<void> {
    if (this.options.hasServiceToken) return
    const administrators = await this.options.tokens.administrators(now, transaction)
    if (administrators.length === 1 && administrators[0] === token.token_id)
      throw new AppError(
        'LAST_ADMIN_TOKEN',
        phrase('token_is_last_admin', { name: token.name, user: token.user }),
      )
  }
}
