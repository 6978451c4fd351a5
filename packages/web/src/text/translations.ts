import { type Language, parts } from './define'
import { formatterOf } from './use-text'

type Load = (language: Language) => Promise<unknown>

const others = new Set<Load>()

/** Adds what loads words that are not the messages of a part. */
export function addTranslation(load: Load): void {
  others.add(load)
}

/** Loads the words of all parts of the page that have arrived so far. What cannot be loaded is told where it is used. */
export async function loadTranslations(language: Language): Promise<void> {
  const ofParts = [...parts].map((part) => formatterOf(part, language))
  await Promise.allSettled([...ofParts, ...[...others].map((load) => load(language))])
}
