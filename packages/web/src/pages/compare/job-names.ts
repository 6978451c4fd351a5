import type { Job } from '../run/live-job'

/** A name for each training that no other one has: equal names get the beginning of their id. */
export function jobNames(jobs: readonly Pick<Job, 'job_id' | 'job_name'>[]): string[] {
  const count = new Map<string, number>()
  for (const { job_name } of jobs) count.set(job_name, (count.get(job_name) ?? 0) + 1)
  return jobs.map(({ job_id, job_name }) =>
    (count.get(job_name) ?? 0) > 1 ? `${job_name} (${job_id.slice(0, 8)})` : job_name,
  )
}
