import type { MedloomClient } from '@medloom/client/node'
import { findId } from './find-id.js'
import { pages } from './pages.js'

/** Resolves an id, a unique prefix of one, a name, or "latest" to the id of a study. If several have the same name, the newest is used. */
export function findStudy(client: MedloomClient, word: string): Promise<string> {
  return findId(word, 'study', studies(client), 'medloom study ls')
}

async function* studies(client: MedloomClient) {
  for await (const { studies } of pages(Number.POSITIVE_INFINITY, 'studies', (query) =>
    client.listStudies(query),
  ))
    for (const { study_id, name } of studies) yield { id: study_id, name }
}
