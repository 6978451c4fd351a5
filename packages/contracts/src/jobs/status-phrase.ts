import { type Phrase, phrase } from '../phrases/index.js'
import type { StudyStatus } from '../studies/status.js'
import type { JobStatus } from './status.js'

const CODES = {
  started: 'status_started',
  running: 'status_running',
  completed: 'status_completed',
  failed: 'status_failed',
  stopped: 'status_stopped',
} as const satisfies Record<JobStatus | StudyStatus, Phrase['code']>

/** The status of a job or a study, as a value of a phrase. */
export function statusPhrase(status: JobStatus | StudyStatus): Phrase[] {
  return [phrase(CODES[status])]
}
