import type { Job } from '../run/live-job'

/** A unique name for each training: equal names are followed by the first characters of the id. */
export function jobNames(jobs: readonly Pick<Job, 'job_id' | 'job_name'>[]): string[] {
  const count = new Map<string, number>()
  for (const { job_name } of jobs) count.set(job_name, (count.get(job_name) ?? 0) + 1)
  return jobs.map(({ job_id, job_name }) =>
    (count.get(job_name) ?? 0) > 1 ? `${job_name} (${job_id.slice(0, 8)})` : job_name,
  )
}
