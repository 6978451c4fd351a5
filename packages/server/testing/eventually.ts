import { PATIENCE } from '../../../scripts/testing/patience.mjs'

export interface EventuallyOptions {
  /** Milliseconds until it fails. */
  readonly within?: number
  /** Milliseconds between the first two calls; the pauses grow with the waiting time. */
  readonly every?: number
}

type Truthy<Value> = Exclude<Value, false | 0 | '' | null | undefined>

const SHOWN = 400
/** Pauses grow to this share of the time waited so far, since frequent looks slow down what they wait for. */
const PAUSE = 1 / 8
/** Milliseconds. */
const LONGEST_PAUSE = 250

/** Calls `look` until it returns a truthy value, and returns that value. */
export function eventually<Value>(
  look: () => Value | Promise<Value>,
  reached?: undefined,
  options?: EventuallyOptions,
): Promise<Truthy<Value>>
/** Calls `look` until `reached` holds for its value, and returns that value. An error of either counts as "not yet". */
export function eventually<Value>(
  look: () => Value | Promise<Value>,
  reached: (value: Value) => boolean,
  options?: EventuallyOptions,
): Promise<Value>
/** @throws Error with the last value and the waiting time */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
  reached: (value: Value) => boolean = Boolean,
  { within = PATIENCE.poll, every = 20 }: EventuallyOptions = {},
): Promise<Value> {
  const began = performance.now()
  const waited = () => performance.now() - began
  let last = 'nothing: the first look did not end'
  let cause: unknown
  do {
    try {
      const value = await before(Math.max(1, within - waited()), look)
      if (value === UNFINISHED) break
      last = shown(value)
      cause = undefined
      if (reached(value)) return value
    } catch (error) {
      last = `the error ${shown(error)}`
      cause = error
    }
    const pause = Math.max(every, Math.min(LONGEST_PAUSE, waited() * PAUSE))
    await new Promise((resume) => setTimeout(resume, pause))
  } while (waited() < within)
  const message = `Not reached within ${(waited() / 1000).toFixed(1)} s. Seen last: ${last}`
  throw new Error(message, cause === undefined ? {} : { cause })
}

const UNFINISHED = Symbol('unfinished')

/** The value of a call, or UNFINISHED if it does not end in time. */
async function before<Value>(
  limit: number,
  look: () => Value | Promise<Value>,
): Promise<Value | typeof UNFINISHED> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof UNFINISHED>((resume) => {
    timer = setTimeout(() => resume(UNFINISHED), limit)
  })
  try {
    return await Promise.race([look(), late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(value: unknown): string {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : (asJson(value) ?? String(value))
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
