/** Between the phrases of a line, and what stands for it in Chinese. */
const BETWEEN = [
  [': ', '：'],
  ['; ', '；'],
  [', ', '，'],
] as const
/** # is a number, @ a name. */
const VALUES = { '#': '([\\d.,]*\\d)', '@': '(.+?)' } as const

/**
 * Lines of the service in other words, which are declared by phrase with # for a number and @ for a name, in the same order. A line of
 * several phrases is told phrase by phrase, and names among them stay as they are. Null: nothing of it is known.
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
