import { isTerminal, type JobMessage } from '@medloom/contracts'
import { DatabaseError } from '../../database/database-error.js'
import { settleAll } from '../../database/settle-all.js'
import type { JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'
import { type ReportedEvents, reduceEvents } from './reduce-event.js'

export interface Recorded {
  readonly job: JobRecord
  readonly messages: readonly JobMessage[]
}

interface Plain extends ReportedEvents {
  readonly known: JobRecord
}

/** Returns true if these events can be stored without reading the job: they do not end it and repeat nothing. */
export function canStoreOptimistically({ known, events, chunk }: Plain): boolean {
  return (
    chunk?.start === known.events_offset &&
    known.attempt === 1 &&
    !isTerminal(known.status) &&
    events.every(({ type }) => type !== 'completed' && type !== 'error')
  )
}

/**
 * Store events of several jobs as their readers know them: all queries are sent at once, so that the transaction, for which everything else
 * waits, needs one round trip to the database.
 * @returns null when a stored job differs from the known one; then nothing is changed.
 */
export async function storeOptimistically(
  group: readonly Plain[],
  repository: TrainingRepository,
): Promise<Recorded[] | null> {
  const reduced = group.map((reported) => ({
    before: reported.known,
    ...reduceEvents(reported.known, reported),
  }))
  try {
    return await repository.inSharedBackground(async (transaction) => {
      const advanced = reduced.map(({ before, changes }) => repository.advance(before, changes, transaction))
      await settleAll([
        ...advanced,
        repository.append(
          reduced.flatMap(({ messages }) => messages),
          transaction,
        ),
      ])
      const stored = await Promise.all(advanced)
      return reduced.map(({ before, changes, messages }, index) => {
        const now = stored[index]
        if (!now) throw new StateConflict()
        return { job: { ...before, request: now.request, ...changes }, messages }
      })
    })
  } catch (error) {
    // A message that already exists was stored by a write that the reader does not know.
    if (error instanceof StateConflict || (error instanceof DatabaseError && error.kind === 'constraint'))
      return null
    throw error
  }
}

class StateConflict extends Error {}
