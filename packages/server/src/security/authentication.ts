import type { Actor } from './actor.js'
import type { Credentials } from './credentials.js'

/** Identifies the sender of a request. */
export interface Authentication {
  /** Returns true if requests need a token. */
  isRequired(): Promise<boolean>
  /**
   * The actor of these credentials, and the credential that identified them; null: neither is valid. Every sender is accepted if no token
   * is required.
   */
  actorOf(credentials: Credentials): Promise<[Actor, 'token' | 'session'] | null>
  /** The actor who logs in with a token, and the value of the cookie; null: the token is not valid. */
  logIn(token: string): Promise<{ readonly actor: Actor; readonly session: string } | null>
  /** Invalidate the cookie, if anything is stored for it. */
  logOut(session: string): Promise<void>
}
