import { type Language, parts } from './define'
import { formatterOf } from './use-text'

type Load = (language: Language) => Promise<unknown>

const others = new Set<Load>()

/** Registers a loader for texts that are not messages of a part. */
export function addTranslation(load: Load): void {
  others.add(load)
}

/** Loads the translations of all parts of the page loaded so far. A failed load is reported where the text is used. */
export async function loadTranslations(language: Language): Promise<void> {
  const ofParts = [...parts].map((part) => formatterOf(part, language))
  await Promise.allSettled([...ofParts, ...[...others].map((load) => load(language))])
}
