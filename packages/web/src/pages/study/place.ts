import type { Figures } from '../../text/figures'
import { NONE } from '../../text/figures'
import type { StudyJob } from './live-study'

/** Held-out fold of a training: its number, with the repeat if there are several; or the value of the fold column. */
export function foldName(
  { repeat, fold }: Pick<StudyJob, 'repeat' | 'fold'>,
  figures: Pick<Figures, 'count'>,
): string {
  if (fold === null) return NONE
  if (typeof fold === 'string') return fold
  const number = figures.count(fold + 1)
  return repeat === null || repeat === 0 ? number : `${number} (${figures.count(repeat + 1)})`
}
