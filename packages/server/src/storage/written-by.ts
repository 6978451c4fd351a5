/** Whether this attempt wrote a file that the attempts of a job share. Older versions did not name the attempt. */
export function isWrittenBy(json: unknown, attempt: number): boolean {
  const named = typeof json === 'object' && json !== null && 'attempt' in json ? json.attempt : attempt
  return named === attempt
}
