import { RECONNECT_SECONDS } from './durations.js'
import { MedloomError } from './errors.js'
import { growingPause } from './retry.js'

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

/**
 * Repeats `attempt` with growing pauses until one returns true (everything was received), `signal` aborts, or no response has arrived
 * for `reconnectTimeoutSeconds`. Another attempt follows if one returns false or throws a transient error.
 */
export async function* reconnecting<Message>(
  { signal, reconnectTimeoutSeconds = RECONNECT_SECONDS, onConnection }: ReconnectOptions,
  attempt: (contact: Contact) => AsyncGenerator<Message, boolean, undefined>,
): AsyncGenerator<Message, void, undefined> {
  let lastContact = Date.now()
  let failures = 0
  let lost = false
  const contact = () => {
    lastContact = Date.now()
    if (!lost) return
    lost = false
    onConnection?.('restored', null)
  }
  const streaming = () => {
    contact()
    failures = 0
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
    await growingPause(failures++, signal)
  }
}
