import type { JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'

/** A job, preceded by the jobs that it continues, the oldest first. A removed job ends the chain. */
export async function lineageOf(
  repository: Pick<TrainingRepository, 'find'>,
  job: JobRecord,
): Promise<JobRecord[]> {
  const chain = [job]
  for (let index = job.resumed_from; index !== null; index = chain[0]?.resumed_from ?? null) {
    const before = await repository.find(index)
    if (!before) break
    chain.unshift(before)
  }
  return chain
}

/**
 * For each job of a chain, the epoch from which a later job has its own values; infinite if there is none. A job resumed from an earlier
 * checkpoint repeats epochs.
 * @param begins the first epoch of each job, infinite while it has none.
 */
export function replacedFrom(begins: readonly number[]): number[] {
  return begins.map((_, index) => Math.min(Infinity, ...begins.slice(index + 1)))
}
