import type { ErrorIssue } from '../codes/index.js'
import { nearest } from './nearest.js'

/** Hint of an issue about an unknown name: the known name that was probably meant, otherwise another hint. */
export function suggest(
  word: string,
  known: Iterable<string>,
  otherwise?: string,
): Pick<ErrorIssue, 'hint' | 'suggestion'> {
  const suggestion = nearest(word, known)
  if (suggestion !== undefined) return { hint: `Did you mean "${suggestion}"?`, suggestion }
  return otherwise === undefined ? {} : { hint: otherwise }
}
