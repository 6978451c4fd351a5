import type { StoredMessage, TrainingRepository } from '../training.repository.js'

const PAGE = 500

/**
 * Messages that a follower missed, in pages, up to message `head`: everything after `since`, or without `since` everything except
 * superseded progress.
 */
export async function* past(
  repository: TrainingRepository,
  jobId: string,
  since: number | null,
  head: number,
): AsyncGenerator<StoredMessage[]> {
  if (since !== null) return yield* pages(repository, jobId, { since, upTo: head })
  const progress = await repository.newestProgress(jobId, head)
  if (!progress) return yield* pages(repository, jobId, { since: 0, upTo: head, only: 'kept' })
  yield* pages(repository, jobId, { since: 0, upTo: progress.seq, only: 'kept' })
  yield [progress]
  yield* pages(repository, jobId, { since: progress.seq, upTo: head, only: 'kept' })
}

/** Page by page, so that a long history neither fills the memory nor blocks the service. */
export async function* pages(
  repository: TrainingRepository,
  jobId: string,
  range: { since: number; upTo: number; only?: 'kept' | 'progress' },
): AsyncGenerator<StoredMessage[]> {
  for (let since = range.since; since < range.upTo; ) {
    const page = await repository.messages(jobId, { ...range, since, limit: PAGE })
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    since = page.at(-1)?.seq ?? range.upTo
    await new Promise(setImmediate)
  }
}
