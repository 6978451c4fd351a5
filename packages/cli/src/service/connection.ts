import { readFileSync } from 'node:fs'
import { MedloomClient } from '@medloom/client/node'
import { isTerminal, type Job } from '@medloom/contracts'
import { EXIT, UsageError } from '../exit-codes.js'

export interface ConnectionOptions {
  readonly url?: string
  readonly tokenFile?: string
}

/** A client for the service that flags and environment name. */
export function connect(options: ConnectionOptions, env: NodeJS.ProcessEnv = process.env): MedloomClient {
  const baseUrl = serviceUrl(options, env)
  const tokenFile = options.tokenFile ?? env.MEDLOOM_TOKEN_FILE
  return new MedloomClient({ baseUrl, ...(tokenFile ? { token: readToken(tokenFile) } : {}) })
}

export function serviceUrl(options: ConnectionOptions, env: NodeJS.ProcessEnv = process.env): string {
  const url = options.url ?? env.MEDLOOM_URL ?? `http://127.0.0.1:${env.MEDLOOM_PORT || 8000}`
  if (!/^https?:\/\/[^/]/.test(url))
    throw new UsageError(`"${url}" is not the address of a service.`, 'It looks like http://127.0.0.1:8000.')
  return url
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The token file cannot be read: ${reason}`,
      'Correct --token-file or MEDLOOM_TOKEN_FILE.',
    )
  }
}

/** The job that an id, the unique beginning of one, or "latest" means. */
export async function findJob(client: MedloomClient, word: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) return word.toLowerCase()
  const found: Job[] = []
  for await (const job of allJobs(client)) {
    if (word === 'latest') return job.job_id
    if (/^[0-9a-f-]+$/i.test(word) && job.job_id.startsWith(word.toLowerCase())) found.push(job)
  }
  const [only, ...others] = found
  if (only && others.length === 0) return only.job_id
  if (only)
    throw new UsageError(
      `"${word}" is the beginning of ${found.length} job ids: ${found
        .slice(0, 5)
        .map((job) => job.job_id)
        .join(', ')}.`,
      'Give more of it.',
    )
  throw new UsageError(`There is no job "${word}".`, 'List the jobs with "medloom ls".', EXIT.notFound)
}

export async function* allJobs(client: MedloomClient): AsyncGenerator<Job> {
  let pageToken: string | null = null
  do {
    const page: Awaited<ReturnType<MedloomClient['listJobs']>> = await client.listJobs({
      page_size: 1000,
      ...(pageToken ? { page_token: pageToken } : {}),
    })
    yield* page.jobs
    pageToken = page.next_page_token
  } while (pageToken)
}

export function hasEnded(job: Pick<Job, 'status'>): boolean {
  return isTerminal(job.status)
}
