import type { MedloomClient } from '@medloom/client/node'
import { findId } from './find-id.js'
import { pages } from './pages.js'

/** Resolves an id, a unique prefix of one, or "latest" to the id of a job. */
export function findJob(client: MedloomClient, word: string): Promise<string> {
  return findId(word, 'job', jobs(client, word), 'medloom jobs ls')
}

async function* jobs(client: MedloomClient, word: string) {
  const filters = { archived: 'all' as const, ...(word === 'latest' ? {} : { q: word.slice(0, 200) }) }
  const found = pages(Number.POSITIVE_INFINITY, 'jobs', (query) => client.listJobs({ ...query, ...filters }))
  for await (const { jobs } of found) for (const { job_id } of jobs) yield { id: job_id }
}
