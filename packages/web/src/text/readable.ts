/**
 * A promise that React reads at once when its value is there, by these two fields. Of any other it learns the value only later: until then
 * it hides the page behind a placeholder, and that for 300 ms at least.
 */
export function readable<Value>(promise: Promise<Value>): Promise<Value> {
  void promise.then(
    (value) => Object.assign(promise, { status: 'fulfilled', value }),
    () => undefined,
  )
  return promise
}

/** As `readable`, of a value that is there. */
export function readableNow<Value>(value: Value): Promise<Value> {
  return Object.assign(Promise.resolve(value), { status: 'fulfilled', value })
}
