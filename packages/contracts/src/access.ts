/** What somebody may do on a service: look at everything, also start trainings and change their own, or everything. */
export const ROLES = ['read', 'run', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * What a route or socket asks for: the least role, or no token at all. What is public tells nothing of what the service holds. "attempt":
 * the token of an attempt of a job, which its process was given, and no other.
 */
export type Access = 'public' | 'attempt' | Role

/** Whether who has this role may do what asks for that access. */
export function allows(role: Role, access: Access): boolean {
  if (access === 'attempt') return false
  return access === 'public' || ROLES.indexOf(role) >= ROLES.indexOf(access)
}

/** Things that belong to who made them: only their owner and administrators change them. */
export const OWNED = [
  'job',
  'study',
  'model',
  'dataset',
  'task',
  'workflow',
  'workflow_run',
  'upload',
] as const
export type Owned = (typeof OWNED)[number]

/** The user of a service that asks for no token, and of what was done there. */
export const LOCAL_USER = 'local'
/** Whoever shows the token of the file that the service was started with. */
export const SERVICE_USER = 'service'
/** In a query `owner`: who asks. */
export const ME = 'me'
