import { LOCAL_USER, type Role, SERVICE_USER } from '@medloom/contracts'

/** The user for whom a request is executed. */
export interface Actor {
  readonly user: string
  readonly role: Role
  /** True if they may read values that identify patients. */
  readonly identifiers: boolean
  /** Id of the named token, or of the token that was used for the login. */
  readonly token_id: string | null
  /** Digest of the login, if the request has a login instead of a token. */
  readonly login?: string
}

/** Actor if no token is required. */
export const LOCAL: Actor = { user: LOCAL_USER, role: 'admin', identifiers: true, token_id: null }
/** Actor with the token with which the service was started. */
export const SERVICE: Actor = { user: SERVICE_USER, role: 'admin', identifiers: true, token_id: null }
