import type { JobMessage } from '@medloom/contracts'
import { isTerminal, isTerminalMessage } from '@medloom/contracts/plain'
import type { RouteMethods } from './methods.js'
import { type ReconnectOptions, reconnecting } from './reconnect.js'
import { socketMessages } from './socket-messages.js'
import type { Socket } from './transport.js'

export interface WatchOptions extends ReconnectOptions {
  /** Only messages after this seq; absent: every stored message except superseded progress, followed by live ones. */
  readonly since?: number
}

/**
 * 1. Read the socket until it closes. 2. Request over HTTP what it did not deliver, which also distinguishes an unknown job, a finished job
 * and a lost service. 3. Pause, longer each time, and start again after the last seq received.
 */
export function watchJob(
  routes: Pick<RouteMethods, 'listJobEvents' | 'getJobStatus'>,
  jobId: string,
  open: (query: string) => Socket,
  { since, ...options }: WatchOptions,
): AsyncGenerator<JobMessage, void, undefined> {
  const { signal } = options
  const callOptions = signal ? { signal } : {}
  let last = since
  const isNew = (message: JobMessage) => {
    if (last !== undefined && message.seq <= last) return false
    last = message.seq
    return true
  }

  return reconnecting<JobMessage>(options, async function* ({ contact, streaming }) {
    const socket = () => open(last === undefined ? '' : `?since=${last}`)
    for await (const message of socketMessages<JobMessage>(socket, signal)) {
      streaming()
      if (isNew(message)) yield message
      if (isTerminalMessage(message)) return true
    }
    if (signal?.aborted) return true

    // The status comes first: once it is terminal, the list that follows is complete.
    const { status } = await routes.getJobStatus({ job_id: jobId }, callOptions)
    for (;;) {
      const { events } = await routes.listJobEvents({ job_id: jobId, since: last ?? 0 }, callOptions)
      contact()
      for (const message of events) {
        if (isNew(message)) yield message
        if (isTerminalMessage(message)) return true
      }
      if (events.length === 0) break
    }
    return isTerminal(status)
  })
}
