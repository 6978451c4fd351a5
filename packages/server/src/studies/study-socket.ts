import { ERRORS, type ErrorCode, SOCKETS, type Study } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { bindSnapshotSocket } from '../live/snapshot-socket.js'
import type { StudyEvents } from './study-events.js'
import type { StudyReader } from './study-reader.js'

/** /ws/studies/{study_id}: closed after the terminal message; for an ended study, that message follows the snapshot directly. */
export function bindStudySocket(
  app: FastifyInstance,
  { events, reader }: { events: StudyEvents; reader: StudyReader },
): void {
  bindSnapshotSocket(app, {
    socket: SOCKETS.studies,
    events,
    async admit(studyId) {
      await reader.find(studyId)
    },
    async snapshot(study_id) {
      const state = await reader.status(study_id)
      return { first: { type: 'snapshot', study_id, state }, last: endOf(state) }
    },
  })
}

/** The terminal message of an ended study, without its number and time. */
export function endOf({
  study_id,
  status,
  message,
  message_phrases,
  error,
  report_path,
}: Pick<Study, 'study_id' | 'status' | 'message' | 'message_phrases' | 'error' | 'report_path'>) {
  if (status === 'running') return undefined
  if (status !== 'failed')
    return { type: 'completed' as const, study_id, status, message, message_phrases, report_path }
  const code = error?.code ?? 'INTERNAL'
  const details = code in ERRORS ? ERRORS[code as ErrorCode].remedy : ''
  return {
    type: 'error' as const,
    study_id,
    error: message,
    error_phrases: message_phrases,
    code,
    details,
    report_path,
  }
}
