import type { ServiceMessage } from '@medloom/contracts'
import type { RouteMethods } from './methods.js'
import { type ReconnectOptions, reconnecting } from './reconnect.js'
import { socketMessages } from './socket-messages.js'
import type { Socket } from './transport.js'

/**
 * 1. Read the socket until it closes: a snapshot, followed by changes. 2. If it delivered nothing, request the state over HTTP, which is a
 * snapshot too. 3. Pause and start again after the last message received; a service that cannot return the messages after it, for example
 * after a restart, starts with a new snapshot.
 */
export function watchService(
  routes: Pick<RouteMethods, 'getServiceState'>,
  open: (query: string) => Socket,
  options: ReconnectOptions,
): AsyncGenerator<ServiceMessage, void, undefined> {
  const { signal } = options
  let stream: string | null = null
  let last = 0
  return reconnecting<ServiceMessage>(options, async function* ({ contact, streaming }) {
    let received = false
    const socket = () => open(stream === null ? '' : `?stream=${stream}&since=${last}`)
    for await (const message of socketMessages<ServiceMessage>(socket, signal)) {
      streaming()
      received = true
      if (message.type === 'snapshot') stream = message.stream
      else if (message.seq <= last) continue
      last = message.seq
      yield message
    }
    if (signal?.aborted) return true
    if (received) return false
    const state = await routes.getServiceState({}, signal ? { signal } : {})
    contact()
    stream = null
    yield { type: 'snapshot', stream: '', seq: 0, timestamp: new Date().toISOString(), state }
    return false
  })
}
