const PLURALS = new Intl.PluralRules('en')

/** The form of an English noun for a count. `plural`: if it is not the noun and "s". */
export function nounFor(count: number, noun: string, plural = `${noun}s`): string {
  return PLURALS.select(count) === 'one' ? noun : plural
}

/** `1 patient`, `2 patients`. */
export function counted(count: number, noun: string, plural?: string): string {
  return `${count} ${nounFor(count, noun, plural)}`
}
