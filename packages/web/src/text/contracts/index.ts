import { use } from 'react'
import { type Field, pathOf, withWords } from '../../forms/schema'
import type { Language } from '../define'
import { readable, readableNow } from '../readable'
import { addTranslation } from '../translations'
import { useLanguage } from '../use-text'
import type { ContractWords } from './keys'
import { saidIn } from './said'

/** The words of the contracts in the language of the reader: English stands in the contracts themselves. */
export interface ContractText {
  /** The fields of the training configuration with their titles and what they mean. */
  settings(fields: readonly Field[]): readonly Field[]
  /** The fields of a study, those of its base among them. */
  study(fields: readonly Field[]): readonly Field[]
  /** A topic that settings are folded by; null where it has no title but its key. */
  topic(name: string): string | null
  /** What to do about a code, of which the service says this. */
  remedy(code: string, english: string | undefined): Remedy
  /** What a warning means and what to do about it; null where its English message says it. */
  warning(code: string): string | null
  /** What the service says of its work and its values, which has no code; null where there are no words for it. */
  said(english: string): string | null
}

/** What to do, in the language of the reader, and what the service says of this case alone, where that is in English only. */
export interface Remedy {
  readonly words: string
  readonly english: string | null
}

const GUESS = /^Did you mean "([^"]+)"\?$/
const ENGLISH: ContractText = {
  settings: (fields) => fields,
  study: (fields) => fields,
  topic: () => null,
  remedy: (_, words = '') => ({ words, english: null }),
  warning: () => null,
  said: (words) => words,
}
let chinese: Promise<ContractText> | undefined
const english = readableNow(ENGLISH)
addTranslation(contractTextIn)

/** Suspends while a translation is loaded. Without the service it cannot be, and what is said of that is English. */
export function useContractText(): ContractText {
  return use(contractTextIn(useLanguage()))
}

function contractTextIn(language: Language): Promise<ContractText> {
  if (language === 'en') return english
  chinese ??= readable(
    import('./zh').then(
      ({ zh }) => textOf(zh),
      () => ENGLISH,
    ),
  )
  return chinese
}

const BASE = 'config.'

export function textOf(given: ContractWords): ContractText {
  const { titles, help, study, remedies, warnings, guess, general, said } = given
  const ofStudy = (path: string) =>
    path.startsWith(BASE)
      ? { title: own(titles, path.slice(BASE.length)), help: own(help, path.slice(BASE.length)) }
      : { title: own(study.titles, path), help: own(study.help, path) }
  return {
    study: (fields) => withWords(fields, (field) => ofStudy(pathOf(field))),
    settings: (fields) =>
      withWords(fields, (field) => ({ title: own(titles, pathOf(field)), help: own(help, pathOf(field)) })),
    topic: (name) => own(titles, name) ?? own(study.titles, name) ?? null,
    remedy: (code, words = '') => {
      const name = GUESS.exec(words)?.[1]
      if (name !== undefined) return { words: guess(name), english: null }
      const known = own(remedies, code)
      if (known === undefined) return { words: '', english: words }
      return { words: known, english: words === '' || words === general(code) ? null : words }
    },
    warning: (code) => own(warnings, code)?.join('') ?? null,
    said: saidIn(said),
  }
}

function own<Words>(words: Readonly<Record<string, Words>>, key: string): Words | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined
}
