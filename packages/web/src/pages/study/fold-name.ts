import type { Formatters } from '../../text/formatters'
import { NONE } from '../../text/formatters'
import type { StudyJob } from './live-study'

/** Held-out fold of a training: its number, with the repeat if there are several; or the value of the fold column. */
export function foldName(
  { repeat, fold }: Pick<StudyJob, 'repeat' | 'fold'>,
  format: Pick<Formatters, 'count'>,
): string {
  if (fold === null) return NONE
  if (typeof fold === 'string') return fold
  const number = format.count(fold + 1)
  return repeat === null || repeat === 0 ? number : `${number} (${format.count(repeat + 1)})`
}
