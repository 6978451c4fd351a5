import { LocalizedStringDictionary, LocalizedStringFormatter } from '@internationalized/string'
import { use, useCallback } from 'react'
import { useLocale } from 'react-aria-components'
import type { Format, Language, Messages, Text } from './define'
import { readable, readableNow } from './readable'

/** A message by its key, with its values. */
export type Translate<M extends Messages> = <K extends keyof M & string>(
  key: K,
  ...values: M[K] extends (values: infer V, format: Format) => string ? [values: V] : []
) => string

type Formatter = { format(key: string, values?: unknown): string }
const formatters = new WeakMap<object, Map<Language, Promise<Formatter>>>()

/** Messages of a part of the page in the reader's language. Suspends while a translation is loading. */
export function useText<M extends Messages>(text: Text<M>): Translate<M> {
  const formatter = use(formatterOf(text, useLanguage()))
  return useCallback((key, ...values) => formatter.format(key, values[0]), [formatter])
}

export function useLanguage(): Language {
  return languageOf(useLocale().locale)
}

/** Page language for a locale such as zh-Hans-CN. */
export function languageOf(locale: string): Language {
  return locale.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

/** Messages of a part in a language; English is available synchronously. */
export function formatterOf<M extends Messages>(text: Text<M>, language: Language): Promise<Formatter> {
  const known = formatters.get(text) ?? new Map<Language, Promise<Formatter>>()
  formatters.set(text, known)
  const made = known.get(language) ?? loadFormatter(text, language)
  known.set(language, made)
  return made
}

function loadFormatter<M extends Messages>(text: Text<M>, language: Language): Promise<Formatter> {
  if (language === 'en') return readableNow(makeFormatter(text.en, language))
  return readable(text.load[language]().then((messages) => makeFormatter(messages, language)))
}

function makeFormatter(messages: object, language: Language): Formatter {
  const dictionary = new LocalizedStringDictionary({ [language]: messages as never }, language)
  return new LocalizedStringFormatter(language, dictionary) as unknown as Formatter
}
