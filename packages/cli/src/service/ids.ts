/** Returns true for a complete id of a job, run or workflow. */
export function isUuid(word: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)
}

/** Returns true if a word is a prefix of an id. */
export function matchesId(word: string, id: string): boolean {
  return /^[0-9a-f-]+$/i.test(word) && id.startsWith(word.toLowerCase())
}
