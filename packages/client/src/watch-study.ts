import type { StudyMessage } from '@medloom/contracts'
import type { RouteMethods } from './methods.js'
import { type ReconnectOptions, reconnecting } from './reconnect.js'
import { socketMessages } from './socket-messages.js'
import type { Socket } from './transport.js'

/**
 * 1. Read the socket until it closes: a snapshot, followed by changes, to the terminal message. 2. If it delivered nothing, request the
 * status over HTTP, which is a snapshot too and distinguishes an unknown study from a lost service; for a finished study it is the last
 * message. 3. Pause and start again, with a new snapshot.
 */
export function watchStudy(
  routes: Pick<RouteMethods, 'getStudy'>,
  studyId: string,
  open: () => Socket,
  options: ReconnectOptions,
): AsyncGenerator<StudyMessage, void, undefined> {
  const { signal } = options
  return reconnecting<StudyMessage>(options, async function* ({ contact, streaming }) {
    let received = false
    for await (const message of socketMessages<StudyMessage>(open, signal)) {
      streaming()
      received = true
      yield message
      if (message.type === 'completed' || message.type === 'error') return true
    }
    if (signal?.aborted) return true
    if (received) return false
    const state = await routes.getStudy({ study_id: studyId }, signal ? { signal } : {})
    contact()
    yield { type: 'snapshot', study_id: studyId, seq: 0, timestamp: new Date().toISOString(), state }
    return state.status !== 'running'
  })
}
