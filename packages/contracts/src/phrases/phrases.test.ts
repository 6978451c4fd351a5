import { describe, expect, it } from 'vitest'
import { after, formatPhrases, inEnglish, type PhraseLanguage, phrase } from './format.js'
import { Phrase } from './phrase.js'

const OTHER: PhraseLanguage = {
  locale: 'de',
  texts: { cases: '{count} Fälle', name: '<{name}>' },
  marks: { comma: ' und ', semicolon: ' | ', colon: ' = ' },
}

describe('a message of phrases', () => {
  it('is written in English with grouped numbers, singular and plural, and its punctuation', () => {
    const line = [
      phrase('cases', { count: 1234 }),
      phrase('patients', { count: 1 }),
      after('semicolon', phrase('cases_left_out', { count: 2 })),
    ]
    expect(inEnglish(line)).toBe('1,234 cases, 1 patient; 2 cases excluded')
    for (const one of line) expect(Phrase.parse(one)).toEqual(one)
  })

  it('is written in another language with its numbers and punctuation; names are not changed', () => {
    const line = [phrase('name', { name: 'a {count}' }), after('colon', phrase('cases', { count: 1234 }))]
    expect(formatPhrases(line, OTHER)).toBe('<a {count}> = 1.234 Fälle')
  })

  it('has no text if the language lacks a phrase or a value is missing', () => {
    expect(formatPhrases([phrase('waiting')], OTHER)).toBeNull()
    expect(formatPhrases([{ code: 'toString' }], OTHER)).toBeNull()
    expect(formatPhrases([{ code: 'cases' }], OTHER)).toBeNull()
  })
})
