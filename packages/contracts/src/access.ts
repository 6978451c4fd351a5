/** Permissions on a service: read everything; also start trainings and change one's own items; or change everything. */
export const ROLES = ['read', 'run', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * Access that a route or socket requires: a minimum role, or no token. Public routes reveal nothing about the content of the service.
 * "attempt": only the token of a job attempt, which its process received.
 */
export type Access = 'public' | 'attempt' | Role

/** Reports whether a role has the required access. */
export function allows(role: Role, access: Access): boolean {
  if (access === 'attempt') return false
  return access === 'public' || ROLES.indexOf(role) >= ROLES.indexOf(access)
}

/** Items with an owner: only the owner and administrators can change them. */
export const OWNED = [
  'job',
  'study',
  'model',
  'alias',
  'dataset',
  'task',
  'workflow',
  'workflow_run',
  'upload',
  'prediction',
  'follow_up',
] as const
export type Owned = (typeof OWNED)[number]

/** User of a service without tokens, and owner of everything created there. */
export const LOCAL_USER = 'local'
/** User of the token file with which the service was started. */
export const SERVICE_USER = 'service'
/** In a query `owner`: the caller. */
export const ME = 'me'
