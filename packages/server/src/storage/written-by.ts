/**
 * Whether a file that the attempts of a job share is part of what this attempt has made: it went on from what those before it wrote. Older
 * versions did not name the attempt.
 */
export function isWrittenBy(json: unknown, attempt: number): boolean {
  const named = typeof json === 'object' && json !== null && 'attempt' in json ? json.attempt : attempt
  return typeof named === 'number' && named <= attempt
}
