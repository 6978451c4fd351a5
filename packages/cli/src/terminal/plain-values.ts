import { stripVTControlCharacters } from 'node:util'

/**
 * The value with every text as a terminal may show it: without escape sequences, and with "?" for other control characters than line breaks
 * and tabs. A name or a note could otherwise move the cursor, change the title of the window or hide lines.
 */
export function plainValues<T>(value: T): T {
  if (typeof value === 'string') return plainText(value) as T
  if (Array.isArray(value)) return value.map(plainValues) as T
  if (value === null || typeof value !== 'object') return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [plainText(key), plainValues(inner)]),
  ) as T
}

export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '?')
}
