import { LIMITS, TOKEN_PREFIX } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import { BoundedMap } from '../../concurrency/bounded-map.js'
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

/** Another process on the same database may create the first token; this process then requires tokens within this time. */
const RECHECK_MILLISECONDS = 1000
const USED_MILLISECONDS = 60_000
/** Maximum number of tokens whose last use is remembered; the oldest is dropped for a new one. */
const MAX_REMEMBERED = 10_000

export interface EndedLogins extends Pick<OpenConnections, 'closeLogin'> {
  /** Notifies other processes once the transaction that ends the login is committed. */
  tellOthers(login: string, transaction: Transaction<Tables>): Promise<void>
}

/**
 * Identifies the sender of a request: by the service token, a named token, or a login with either. Named tokens and logins are looked up by
 * their digests, so that the response time reveals nothing about them, and on each request, so that a revoked one is refused at once.
 */
export class TokenAuthentication implements Authentication {
  #isRequired: boolean
  #checkedAt = Number.NEGATIVE_INFINITY
  /** Token → time at which its last use was stored, in milliseconds. */
  readonly #used = new BoundedMap<string, number>(MAX_REMEMBERED)

  /**
   * @param serviceToken of the file with which the service was started.
   * @param ended closes the connections of a login, in this process and in others.
   */
  constructor(
    private readonly tokens: TokensRepository,
    private readonly serviceToken: string | null,
    private readonly ended: EndedLogins,
  ) {
    this.#isRequired = serviceToken !== null
  }

  async isRequired(now = Date.now()): Promise<boolean> {
    if (this.#isRequired || now - this.#checkedAt < RECHECK_MILLISECONDS) return this.#isRequired
    try {
      this.#isRequired = await this.tokens.exists()
    } catch (error) {
      // While the database is unavailable, nothing can be read or changed, and the response that reports this requires no token unless one
      // was required before.
      if (!isLost(error) || !Number.isFinite(this.#checkedAt)) throw error
    }
    this.#checkedAt = now
    return this.#isRequired
  }

  /** Called when a token was created: from now on one is required. */
  begin(): void {
    this.#isRequired = true
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
      // The cookie is valid without a stored login, so the logout has to be stored.
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
      this.#used.set(token_id, now)
      // The request does not wait for it, and a full disk does not refuse users.
      this.tokens.used(token_id, iso(now)).catch(() => undefined)
    }
    return actor
  }
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
/** Expiry of a login that starts now, which is also an upper bound for all earlier ones. */
const expiry = (now: number): string => iso(now + LIMITS.session_seconds * 1000)
