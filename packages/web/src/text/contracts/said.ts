/** Separators between the phrases of a line, with their Chinese counterparts. */
const BETWEEN = [
  [': ', '：'],
  ['; ', '；'],
  [', ', '，'],
] as const
/** Patterns of the placeholders: # for a number, @ for a name. */
const VALUES = { '#': '([\\d.,]*\\d)', '@': '(.+?)' } as const

/**
 * Translates lines of the service with a dictionary of phrases, in which # is a number and @ a name, in the same order. A line of several
 * phrases is translated phrase by phrase; names among them do not change. Returns null if no phrase is known.
 */
export function saidIn(words: Readonly<Record<string, string>>): (english: string) => string | null {
  const phrases = Object.entries(words).map(([english, own]) => ({ pattern: patternOf(english), own }))
  const phrase = (line: string): string | null => {
    for (const { pattern, own } of phrases) {
      const [found, ...values] = pattern.exec(line) ?? []
      if (found !== undefined) return own.replace(/[#@]/g, () => values.shift() ?? '')
    }
    return null
  }
  const say = (line: string): string | null => {
    const known = phrase(line)
    const [mark, own] = BETWEEN.find(([mark]) => line.includes(mark)) ?? []
    if (known !== null || mark === undefined) return known
    const parts = line.split(mark)
    const told = parts.map(say)
    if (told.every((part) => part === null)) return null
    return told.map((part, index) => part ?? parts[index]).join(own)
  }
  return say
}

function patternOf(english: string): RegExp {
  const literal = english.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/[#@]/g, (value) => VALUES[value as keyof typeof VALUES])}$`, 'u')
}
