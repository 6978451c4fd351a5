import { MedloomError } from './errors.js'

export interface ReconnectOptions {
  /** Ends the iteration (without an error) when it aborts. */
  readonly signal?: AbortSignal
  /** Seconds without any response after which watching ends with an error. Default 300. */
  readonly reconnectTimeoutSeconds?: number
  /** Called when the connection is lost and when it is restored. */
  readonly onConnection?: (state: 'lost' | 'restored', error: unknown) => void
}

/** Reports of an attempt: the service has responded (`contact`), or it streams (`streaming`), so the next pause may be short. */
export interface Contact {
  contact(): void
  streaming(): void
}

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 5_000

/**
 * Repeats `attempt` with growing pauses until one returns true (everything was received), `signal` aborts, or no response has arrived
 * for `reconnectTimeoutSeconds`. Another attempt follows if one returns false or throws a transient error.
 */
export async function* reconnecting<Message>(
  { signal, reconnectTimeoutSeconds = 300, onConnection }: ReconnectOptions,
  attempt: (contact: Contact) => AsyncGenerator<Message, boolean, undefined>,
): AsyncGenerator<Message, void, undefined> {
  let lastContact = Date.now()
  let pause = FIRST_PAUSE
  let lost = false
  const contact = () => {
    lastContact = Date.now()
    if (!lost) return
    lost = false
    onConnection?.('restored', null)
  }
  const streaming = () => {
    contact()
    pause = FIRST_PAUSE
  }

  while (!signal?.aborted) {
    try {
      if (yield* attempt({ contact, streaming })) return
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof MedloomError && error.isTransient)) throw error
      if (!lost) onConnection?.('lost', error)
      lost = true
      if (Date.now() - lastContact > reconnectTimeoutSeconds * 1000) throw error
    }
    await delay(spread(pause), signal)
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }
}

/** Waits before a repetition: number 0 is the first one. Returns early when `signal` aborts. */
export function growingPause(number: number, signal: AbortSignal | undefined): Promise<void> {
  return delay(spread(Math.min(FIRST_PAUSE * 2 ** number, LONGEST_PAUSE)), signal)
}

/** Random spread, so that many clients do not reconnect at the same moment. */
function spread(pause: number): number {
  return pause * (0.75 + Math.random() / 2)
}

function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
