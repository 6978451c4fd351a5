/**
 * Marks a promise as fulfilled so that React reads its value synchronously through these two fields. Without them React shows a
 * placeholder for at least 300 ms.
 */
export function readable<Value>(promise: Promise<Value>): Promise<Value> {
  void promise.then(
    (value) => Object.assign(promise, { status: 'fulfilled', value }),
    () => undefined,
  )
  return promise
}

/** Same as `readable`, for a value that is already available. */
export function readableNow<Value>(value: Value): Promise<Value> {
  return Object.assign(Promise.resolve(value), { status: 'fulfilled', value })
}
