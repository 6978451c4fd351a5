import { LOCAL_USER, type Role, SERVICE_USER } from '@medloom/contracts'

/** On whose behalf a request is carried out. */
export interface Actor {
  readonly user: string
  readonly role: Role
  /** Whether they may read values that identify patients. */
  readonly identifiers: boolean
  /** The named token that was shown, or that the login was made with. */
  readonly token_id: string | null
  /** Digest of the login that was shown in place of the token. */
  readonly login?: string
}

/** Where no token is required. */
export const LOCAL: Actor = { user: LOCAL_USER, role: 'admin', identifiers: true, token_id: null }
/** Who shows the token that the service was started with. */
export const SERVICE: Actor = { user: SERVICE_USER, role: 'admin', identifiers: true, token_id: null }
