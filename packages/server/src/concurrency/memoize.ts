/** A function that runs once per set of arguments, however often it is called; failures are cached too. */
export function memoize<Arguments extends readonly string[], Result>(
  work: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  const begun = new Map<string, Promise<Result>>()
  return (...given) => {
    const key = JSON.stringify(given)
    const known = begun.get(key) ?? work(...given)
    begun.set(key, known)
    return known
  }
}
