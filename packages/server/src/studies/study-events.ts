import type { StudyMessage } from '@medloom/contracts'
import { LiveMessages } from '../live/live-messages.js'

type Delta = Exclude<StudyMessage, { type: 'snapshot' }>

/** Live messages of studies. */
export class StudyEvents extends LiveMessages<Delta> {
  constructor() {
    super(({ study_id }) => study_id)
  }
}
