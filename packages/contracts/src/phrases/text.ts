import { after, inEnglish, type PhraseMark, type PhraseValue, phrase } from './format.js'
import { NOTES } from './notes.js'
import type { Phrase } from './phrase.js'

/** A text for people: in English, and as phrases for other languages if it has them. */
export interface Text {
  readonly english: string
  readonly phrases?: readonly Phrase[] | undefined
}

/** A text, or the English or the phrases of one. */
export type Wording = string | Phrase | readonly Phrase[] | Text

export function textOf(given: Wording): Text {
  if (typeof given === 'string') return { english: given }
  if ('english' in given) return given
  const phrases = 'code' in given ? [given] : given
  return { english: inEnglish(phrases), phrases }
}

/** A text as a value of a phrase. */
export function asValue(given: Wording): PhraseValue {
  const { english, phrases } = textOf(given)
  return phrases ?? english
}

const SEPARATORS: Readonly<Record<PhraseMark, string>> = {
  comma: ', ',
  semicolon: '; ',
  colon: ': ',
  space: ' ',
}

/** The message of an issue in English, and its phrases for other languages. */
export function messageOf(...phrases: Phrase[]): { message: string; message_phrases: Phrase[] } {
  return { message: inEnglish(phrases), message_phrases: phrases }
}

/** The hint of an issue in English, and its phrases for other languages. */
export function hintOf(...phrases: Phrase[]): { hint: string; hint_phrases: Phrase[] } {
  return { hint: inEnglish(phrases), hint_phrases: phrases }
}

/** Texts that no language changes, as one list; a mark other than a comma is written between all of them. */
export function listed(texts: readonly string[], mark?: PhraseMark): Phrase[] {
  return texts.map((name, index) => {
    const one = phrase('name', { name })
    return index > 0 && mark ? after(mark, one) : one
  })
}

/** Phrase of a text that was stored without its phrases; undefined if the text has values or is not of the catalog. */
export function phraseOfNote(english: string): Phrase | undefined {
  const code = NOTE_CODES.find((one) => NOTES[one] === english)
  return code && { code }
}

const NOTE_CODES = Object.keys(NOTES) as (keyof typeof NOTES)[]

/** Several texts as one, with phrases if all of them have some. */
export function joinTexts(texts: readonly Wording[], mark: PhraseMark): Text {
  const given = texts.map(textOf)
  const english = given.map((text) => text.english).join(SEPARATORS[mark])
  if (given.some(({ phrases }) => phrases === undefined)) return { english }
  return { english, phrases: given.flatMap(({ phrases = [] }, index) => startingWith(mark, phrases, index)) }
}

/** The text with its location in front of it. */
export function atPlace(place: string, message: Wording): Text {
  return joinTexts([phrase('name', { name: place }), message], 'colon')
}

/** Fields of a message: the English text, and its phrases if it has any. */
export function fieldsOf<Name extends string>(
  name: Name,
  { english, phrases }: Text,
): { [K in Name]: string } & { [K in `${Name}_phrases`]?: Phrase[] } {
  return { [name]: english, ...(phrases ? { [`${name}_phrases`]: [...phrases] } : {}) } as never
}

function startingWith(mark: PhraseMark, phrases: readonly Phrase[], index: number): readonly Phrase[] {
  const [first, ...others] = phrases
  return index === 0 || !first ? phrases : [after<Phrase>(mark, first), ...others]
}
