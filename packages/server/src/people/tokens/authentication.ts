import { LIMITS, TOKEN_PREFIX } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import { isLost } from '../../database/database-error.js'
import type { Tables } from '../../database/schema.js'
import { type Actor, LOCAL, SERVICE } from '../../security/actor.js'
import type { Authentication } from '../../security/authentication.js'
import type { Credentials } from '../../security/credentials.js'
import { isSession, newSession } from '../../security/session.js'
import { sameToken } from '../../security/token.js'
import type { OpenConnections } from './open-connections.js'
import { newSessionValue, secretDigest } from './secret.js'
import type { TokensRepository } from './tokens.repository.js'

/** Another process on the same database may create the first token; this one asks for it from then on, within this time. */
const UNASKED_MILLISECONDS = 1000
const USED_MILLISECONDS = 60_000
/** Tokens whose last use is remembered; the oldest is forgotten for a new one. */
const MAX_REMEMBERED = 10_000

export interface EndedLogins extends Pick<OpenConnections, 'closeLogin'> {
  /** Once the transaction that ends the login is done. */
  tellOthers(login: string, transaction: Transaction<Tables>): Promise<void>
}

/**
 * Who a request comes from: the token of the service, a named token, or a login by either. Named tokens and logins are looked up by
 * digests of them, so the time that it takes tells nothing of them, and each time anew, so that a revoked one is refused at once.
 */
export class TokenAuthentication implements Authentication {
  #asks: boolean
  #askedAt = Number.NEGATIVE_INFINITY
  /** Token → when its last use was written, in milliseconds. */
  readonly #used = new Map<string, number>()

  /**
   * @param serviceToken of the file that the service was started with.
   * @param ended ends what a login has open, in this process and in others.
   */
  constructor(
    private readonly tokens: TokensRepository,
    private readonly serviceToken: string | null,
    private readonly ended: EndedLogins,
  ) {
    this.#asks = serviceToken !== null
  }

  async isRequired(now = Date.now()): Promise<boolean> {
    if (this.#asks || now - this.#askedAt < UNASKED_MILLISECONDS) return this.#asks
    try {
      this.#asks = await this.tokens.exists()
    } catch (error) {
      // While the database is away nothing can be read or changed, and what says so asks for no token that was not required before.
      if (!isLost(error) || !Number.isFinite(this.#askedAt)) throw error
    }
    this.#askedAt = now
    return this.#asks
  }

  /** A token was created: from now on one is required. */
  begin(): void {
    this.#asks = true
  }

  async actorOf(
    { token, session }: Credentials,
    now = Date.now(),
  ): Promise<[Actor, 'token' | 'session'] | null> {
    if (!(await this.isRequired(now))) return [LOCAL, 'token']
    const byToken = token === undefined ? null : await this.#actorByToken(token, now)
    if (byToken) return [byToken, 'token']
    const bySession = session === undefined ? null : await this.#actorBySession(session, now)
    return bySession && [bySession, 'session']
  }

  async logIn(token: string, now = Date.now()): Promise<{ actor: Actor; session: string } | null> {
    const actor = await this.#actorByToken(token, now)
    if (!actor) return null
    if (actor.token_id === null) return { actor, session: newSession(token, now) }
    const session = newSessionValue()
    await this.tokens.addSession(
      { digest: secretDigest(session), token_id: actor.token_id, expires_at: expiry(now) },
      iso(now),
    )
    return { actor, session }
  }

  async logOut(session: string, now = Date.now()): Promise<void> {
    const login = secretDigest(session)
    const isOfService = this.serviceToken !== null && isSession(session, this.serviceToken, now)
    const isKnown = await this.tokens.transaction(async (transaction) => {
      const tokenId = await this.tokens.removeSession(login, transaction)
      if (tokenId === undefined && !isOfService) return false
      // The cookie itself says that it is good, so that a logout has to be stored.
      if (isOfService)
        await this.tokens.endLogin({ digest: login, expires_at: expiry(now) }, iso(now), transaction)
      await this.ended.tellOthers(login, transaction)
      return true
    })
    if (isKnown) this.ended.closeLogin(login)
  }

  async #actorByToken(token: string, now: number): Promise<Actor | null> {
    if (this.serviceToken !== null && sameToken(token, this.serviceToken)) return SERVICE
    if (!token.startsWith(TOKEN_PREFIX)) return null
    return this.#seen(await this.tokens.actorByToken(secretDigest(token), iso(now)), now)
  }

  async #actorBySession(session: string, now: number): Promise<Actor | null> {
    const login = secretDigest(session)
    if (this.serviceToken !== null && isSession(session, this.serviceToken, now)) {
      const ended = await this.tokens.endedLogins([login])
      return ended.has(login) ? null : { ...SERVICE, login }
    }
    return this.#seen(await this.tokens.actorBySession(login, iso(now)), now)
  }

  #seen(actor: Actor | undefined, now: number): Actor | null {
    if (!actor) return null
    const { token_id } = actor
    if (token_id !== null && now - (this.#used.get(token_id) ?? 0) >= USED_MILLISECONDS) {
      const [oldest] = this.#used.keys()
      if (oldest !== undefined && this.#used.size >= MAX_REMEMBERED) this.#used.delete(oldest)
      this.#used.set(token_id, now)
      // Nobody waits for it, and a full disk keeps nobody out.
      this.tokens.used(token_id, iso(now)).catch(() => undefined)
    }
    return actor
  }
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
/** When a login that begins now expires, and the last moment at which an earlier one could. */
const expiry = (now: number): string => iso(now + LIMITS.session_seconds * 1000)
