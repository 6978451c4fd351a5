import type { Message } from '../../components/service-text'
import type { StudyResults } from './live-study'

type Noted = Pick<StudyResults['comparisons'][number], 'note' | 'note_phrases'>

/** The note of a result, or nothing. */
export function noteOf(noted: Noted | undefined): readonly Message[] {
  return noted?.note == null ? [] : [{ english: noted.note, phrases: noted.note_phrases }]
}
