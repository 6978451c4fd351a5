import { ME } from '@medloom/contracts'
import type { Actor } from '../security/actor.js'

/** The query of a list, with "me" replaced by the name of the user. */
export function resolveOwner<Query extends { readonly owner?: string | undefined }>(
  actor: Actor,
  query: Query,
): Query {
  return query.owner === ME ? { ...query, owner: actor.user } : query
}
