/** A function that is called once for the same arguments, however often they are asked for; failures are remembered too. */
export function onceEach<Arguments extends readonly string[], Result>(
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
