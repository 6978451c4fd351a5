import type { MedloomClient } from '@medloom/client/node'
import { findId } from './find-id.js'
import { pages } from './pages.js'

/** Resolves an id, a unique prefix of one, a name, or "latest" to the id of a follow-up. */
export function findFollowUp(client: MedloomClient, word: string): Promise<string> {
  return findId(word, 'follow-up', followUps(client), 'medloom follow-ups ls')
}

async function* followUps(client: MedloomClient) {
  for await (const { follow_ups } of pages(Number.POSITIVE_INFINITY, 'follow_ups', (query) =>
    client.listFollowUps(query),
  ))
    for (const { follow_up_id, name } of follow_ups) yield { id: follow_up_id, name }
}
