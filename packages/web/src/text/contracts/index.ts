import { formatPhrases, type GivenPhrase, type PhraseLanguage, phraseOfNote } from '@medloom/contracts/plain'
import { use } from 'react'
import { type Field, pathOf, translateFields } from '../../forms/schema'
import type { Language } from '../define'
import { readable, readableNow } from '../readable'
import { addTranslation } from '../translations'
import { useLanguage } from '../use-text'
import { studyTitles, titles } from './en-titles'
import type { ContractWords, TemplateWords } from './keys'

/** Texts of the contracts in the reader's language. English help comes from the contracts themselves. */
export interface ContractText {
  /** The fields of the training configuration with titles and help. */
  settings(fields: readonly Field[]): readonly Field[]
  /** The fields of a study, including those of its base, with titles and help. */
  study(fields: readonly Field[]): readonly Field[]
  /** Title of a topic; null if only its key is known. */
  topic(name: string): string | null
  /** Remedy for a code and the hint that the service sent with it. */
  remedy(code: string, english: string | undefined, phrases?: readonly GivenPhrase[]): Remedy
  /** Meaning of an error code, and the English message of this case unless it is the same. */
  error(code: string, english: string): Remedy
  /** Meaning of a warning and what to do about it; null if the English message is shown instead. */
  warning(code: string): string | null
  /** A message from its phrases; null if the English message is shown instead. */
  message(phrases: readonly GivenPhrase[]): string | null
  /** A note that is stored without phrases; null if the English text is shown instead. */
  note(english: string): string | null
  /** A template of workflows; null if the English text is shown instead. */
  template(id: string): TemplateWords | null
}

/** The remedy in the reader's language, and the service's hint for this case if it exists in English only. */
export interface Remedy {
  readonly words: string
  readonly english: string | null
}

const BASE = 'config.'
export const ENGLISH: ContractText = {
  ...fieldTextOf({ titles, help: {}, study: { titles: studyTitles, help: {} } }),
  remedy: (_, words = '') => ({ words, english: null }),
  error: (_, words) => ({ words, english: null }),
  warning: () => null,
  message: () => null,
  note: () => null,
  template: () => null,
}
const CHINESE = { locale: 'zh-CN', marks: { comma: '，', semicolon: '；', colon: '：', space: '' } } as const
let chinese: Promise<ContractText> | undefined
const english = readableNow(ENGLISH)
addTranslation(contractTextIn)

/** Suspends while a translation is loading. If it cannot be loaded, the English texts are used. */
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

type Words = Readonly<Record<string, string>>
interface FieldTexts {
  readonly titles: Words
  readonly help: Words
  readonly study: { readonly titles: Words; readonly help: Words }
}

/** Fields without words here keep those of the contracts. */
function fieldTextOf({
  titles,
  help,
  study,
}: FieldTexts): Pick<ContractText, 'settings' | 'study' | 'topic'> {
  const ofSetting = (path: string) => ({ title: own(titles, path), help: own(help, path) })
  const ofStudy = (path: string) =>
    path.startsWith(BASE)
      ? ofSetting(path.slice(BASE.length))
      : { title: own(study.titles, path), help: own(study.help, path) }
  return {
    settings: (fields) => translateFields(fields, (field) => ofSetting(pathOf(field))),
    study: (fields) => translateFields(fields, (field) => ofStudy(pathOf(field))),
    topic: (name) => own(titles, name) ?? own(study.titles, name) ?? null,
  }
}

export function textOf(given: ContractWords): ContractText {
  const { remedies, meanings, warnings, general, phrases, workflows } = given
  const language: PhraseLanguage = { ...CHINESE, texts: phrases }
  return {
    ...fieldTextOf(given),
    remedy: (code, words = '', given = []) => {
      const sent = given.length > 0 ? formatPhrases(given, language) : null
      if (sent !== null) return { words: sent, english: null }
      const known = own(remedies, code)
      if (known === undefined) return { words: '', english: words }
      return { words: known, english: words === '' || words === general(code)?.remedy ? null : words }
    },
    error: (code, words) => {
      const known = own(meanings, code)
      if (known === undefined) return { words: '', english: words }
      return { words: known, english: words === general(code)?.meaning ? null : words }
    },
    warning: (code) => own(warnings, code)?.join('') ?? null,
    message: (given) => formatPhrases(given, language),
    note: (english) => {
      const known = phraseOfNote(english)
      return known ? formatPhrases([known], language) : null
    },
    template: (id) => own(workflows, id) ?? null,
  }
}

function own<Words>(words: Readonly<Record<string, Words>>, key: string): Words | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined
}
