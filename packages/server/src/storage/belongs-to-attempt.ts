/**
 * Returns true if a file that the attempts of a job share counts as output of this attempt, which continued from the files of earlier ones.
 * Older versions did not store the attempt.
 */
export function belongsToAttempt(json: unknown, attempt: number): boolean {
  const named = typeof json === 'object' && json !== null && 'attempt' in json ? json.attempt : attempt
  return typeof named === 'number' && named <= attempt
}
