import type { Actor } from './actor.js'
import type { Credentials } from './credentials.js'

/** Says who a request comes from. */
export interface Authentication {
  /** Whether a token is required of requests. */
  isRequired(): Promise<boolean>
  /** Who shows these, and by which of them; null: neither is good. Everybody where no token is required. */
  actorOf(credentials: Credentials): Promise<[Actor, 'token' | 'session'] | null>
  /** Who logs in with a token, and the value of the cookie; null: it is not good. */
  logIn(token: string): Promise<{ readonly actor: Actor; readonly session: string } | null>
  /** The cookie is no longer good, as far as something is stored for it. */
  logOut(session: string): Promise<void>
}
