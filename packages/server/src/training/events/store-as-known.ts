import { isTerminal, type JobMessage } from '@medloom/contracts'
import { DatabaseError } from '../../database/database-error.js'
import { together } from '../../database/together.js'
import type { JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'
import { foldAll, type ReportedEvents } from './fold.js'

export interface Recorded {
  readonly job: JobRecord
  readonly messages: readonly JobMessage[]
}

interface Plain extends ReportedEvents {
  readonly known: JobRecord
}

/** Whether nothing but the job as its reader knows it is needed to store these events: they end nothing, and repeat nothing. */
export function isPlain({ known, events, chunk }: Plain): boolean {
  return (
    chunk?.start === known.events_offset &&
    known.attempt === 1 &&
    !isTerminal(known.status) &&
    events.every(({ type }) => type !== 'completed' && type !== 'error')
  )
}

/**
 * Store events of several jobs as their readers know them: everything is asked at once, so that the transaction, which all else waits
 * for, takes one way to the database and back.
 * @returns null when a job is not stored as it is known; nothing is changed then.
 */
export async function storeAsKnown(
  group: readonly Plain[],
  repository: TrainingRepository,
): Promise<Recorded[] | null> {
  const folded = group.map((reported) => ({ before: reported.known, ...foldAll(reported.known, reported) }))
  try {
    return await repository.inSharedBackground(async (transaction) => {
      const advanced = folded.map(({ before, changes }) => repository.advance(before, changes, transaction))
      await together([
        ...advanced,
        repository.append(
          folded.flatMap(({ messages }) => messages),
          transaction,
        ),
      ])
      const stored = await Promise.all(advanced)
      return folded.map(({ before, changes, messages }, at) => {
        const now = stored[at]
        if (!now) throw new NotAsKnown()
        return { job: { ...before, request: now.request, ...changes }, messages }
      })
    })
  } catch (error) {
    // A message that is there already was stored by what the reader does not know of.
    if (error instanceof NotAsKnown || (error instanceof DatabaseError && error.kind === 'constraint'))
      return null
    throw error
  }
}

class NotAsKnown extends Error {}
