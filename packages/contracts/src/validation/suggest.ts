import type { ErrorIssue } from '../codes/index.js'
import { hintOf, type Phrase, phrase } from '../phrases/index.js'
import { nearest } from './nearest.js'

/** Hint of an issue about an unknown name: the known name that was probably meant, otherwise another hint. */
export function suggest(
  word: string,
  known: Iterable<string>,
  ...otherwise: Phrase[]
): Pick<ErrorIssue, 'hint' | 'hint_phrases' | 'suggestion'> {
  const suggestion = nearest(word, known)
  if (suggestion !== undefined)
    return { ...hintOf(phrase('suggested_name', { name: suggestion })), suggestion }
  return otherwise.length === 0 ? {} : hintOf(...otherwise)
}
