import { ME } from '@medloom/contracts'
import type { Actor } from '../security/actor.js'

/** The query of a list with the name of who asks in the place of "me". */
export function ownedBy<Query extends { readonly owner?: string | undefined }>(
  actor: Actor,
  query: Query,
): Query {
  return query.owner === ME ? { ...query, owner: actor.user } : query
}
