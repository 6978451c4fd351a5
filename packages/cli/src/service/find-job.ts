import type { MedloomClient } from '@medloom/client/node'
import type { JobSummary } from '@medloom/contracts'
import { EXIT, UsageError } from '../exit-codes.js'
import { isUuid, matchesId } from './ids.js'
import { pages } from './pages.js'

/** The id of the job that an id, a unique prefix of one, or "latest" names. */
export async function findJob(client: MedloomClient, word: string): Promise<string> {
  if (isUuid(word)) return word.toLowerCase()
  const found: JobSummary[] = []
  for await (const { jobs } of pages(Number.POSITIVE_INFINITY, 'jobs', (query) => client.listJobs(query)))
    for (const job of jobs) {
      if (word === 'latest') return job.job_id
      if (matchesId(word, job.job_id)) found.push(job)
    }
  const [only, ...others] = found
  if (only && others.length === 0) return only.job_id
  if (only) {
    const first = found.slice(0, 5).map((job) => job.job_id)
    throw new UsageError(
      `${found.length} job ids begin with "${word}": ${first.join(', ')}${found.length > 5 ? ', …' : ''}.`,
      'Give more characters of the id.',
    )
  }
  throw new UsageError(`There is no job "${word}".`, 'List the jobs with "medloom jobs ls".', EXIT.notFound)
}
