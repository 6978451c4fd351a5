import { PHRASES, type PhraseCode, type PhraseText } from './catalog.js'

/** A text or number that no language changes, or phrases. */
export type PhraseValue = string | number | readonly GivenPhrase[]
export type PhraseValues = Readonly<Record<string, PhraseValue>>
/** A phrase with its values. `mark` is the punctuation between it and the phrase before it; absent: a comma. */
export interface GivenPhrase {
  readonly code: string
  readonly values?: PhraseValues | undefined
  readonly mark?: PhraseMark | undefined
}
export type PhraseMark = 'comma' | 'semicolon' | 'colon' | 'space'

/** The texts of a language. A code of a newer service is missing. */
export interface PhraseLanguage {
  readonly locale: string
  readonly texts: Readonly<Record<string, PhraseText>>
  readonly marks: Readonly<Record<PhraseMark, string>>
}

const ENGLISH: PhraseLanguage = {
  locale: 'en',
  texts: PHRASES,
  marks: { comma: ', ', semicolon: '; ', colon: ': ', space: ' ' },
}

type ValueName<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueName<Rest>
  : never
type TextOf<Code extends PhraseCode> = (typeof PHRASES)[Code] extends { readonly other: infer Text }
  ? Text
  : (typeof PHRASES)[Code]
/** Names of the values of a phrase; a count also decides between singular and plural. */
export type PhraseValueName<Code extends PhraseCode> =
  | ValueName<TextOf<Code> & string>
  | ((typeof PHRASES)[Code] extends { readonly one: string } ? 'count' : never)

/** A phrase of the catalog, with exactly the values that its text names. */
export function phrase<Code extends PhraseCode>(
  code: Code,
  ...values: [PhraseValueName<Code>] extends [never]
    ? []
    : [Readonly<Record<PhraseValueName<Code>, PhraseValue>>]
): GivenPhrase & { readonly code: Code } {
  const [given] = values
  return given === undefined ? { code } : { code, values: given }
}

/** The same phrase after another punctuation mark. */
export function after<Phrase extends GivenPhrase>(mark: PhraseMark, given: Phrase): Phrase {
  return { ...given, mark }
}

/** The message in English. */
export function inEnglish(phrases: readonly GivenPhrase[]): string {
  const text = formatPhrases(phrases, ENGLISH)
  if (text === null) throw new Error(`a phrase without a text: ${phrases.map(({ code }) => code).join(', ')}`)
  return text
}

/** The message in a language; null if the language lacks a phrase or a value is missing. */
export function formatPhrases(phrases: readonly GivenPhrase[], language: PhraseLanguage): string | null {
  let line = ''
  for (const [index, given] of phrases.entries()) {
    const text = formatPhrase(given, language)
    if (text === null) return null
    line += index === 0 ? text : language.marks[given.mark ?? 'comma'] + text
  }
  return line
}

function formatPhrase({ code, values = {} }: GivenPhrase, language: PhraseLanguage): string | null {
  const text = Object.hasOwn(language.texts, code) ? language.texts[code] : undefined
  if (text === undefined) return null
  const parts = formOf(text, values.count, language.locale).split(/[{}]/)
  let written = ''
  for (const [index, part] of parts.entries()) {
    const value = index % 2 === 0 ? part : values[part]
    const text = typeof value === 'object' ? formatPhrases(value, language) : value
    if (text === undefined || text === null) return null
    written += typeof text === 'number' ? text.toLocaleString(language.locale) : text
  }
  return written
}

function formOf(text: PhraseText, count: PhraseValue | undefined, locale: string): string {
  if (typeof text === 'string') return text
  return new Intl.PluralRules(locale).select(Number(count)) === 'one' ? text.one : text.other
}
