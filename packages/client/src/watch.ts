import { isTerminal, isTerminalMessage, type JobMessage } from '@medloom/contracts'
import { MedloomError } from './errors.js'
import type { RouteMethods } from './routes.js'
import { socketMessages } from './socket-messages.js'
import type { Socket } from './transport.js'

export interface WatchOptions {
  /** Only messages that follow this seq; absent: every kept message except superseded progress, then live ones. */
  readonly since?: number
  /** Ends the iteration (without an error) when it aborts. */
  readonly signal?: AbortSignal
  /** Seconds without any answer after which watching gives up. Default 300. */
  readonly patienceSeconds?: number
  /** Called when the connection is lost and when it is there again. */
  readonly onConnection?: (state: 'lost' | 'restored', error: unknown) => void
}

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 5_000

/**
 * 1. Read the socket until it closes. 2. Ask over HTTP for what it did not bring, which also tells an unknown job, an ended
 * job and a lost service apart. 3. Pause, longer each time, and begin again after the last seq seen.
 */
export async function* watchJob(
  routes: Pick<RouteMethods, 'listJobEvents' | 'getJobStatus'>,
  jobId: string,
  open: (query: string) => Socket,
  { since, signal, patienceSeconds = 300, onConnection }: WatchOptions,
): AsyncGenerator<JobMessage, void, undefined> {
  let last = since
  let lastContact = Date.now()
  let pause = FIRST_PAUSE
  let lost = false
  const contact = () => {
    lastContact = Date.now()
    if (!lost) return
    lost = false
    onConnection?.('restored', null)
  }
  const isNew = (message: JobMessage) => {
    if (last !== undefined && message.seq <= last) return false
    last = message.seq
    return true
  }
  const callOptions = signal ? { signal } : {}

  while (!signal?.aborted) {
    try {
      for await (const message of socketMessages(
        () => open(last === undefined ? '' : `?since=${last}`),
        signal,
      )) {
        contact()
        pause = FIRST_PAUSE
        if (isNew(message)) yield message
        if (isTerminalMessage(message)) return
      }
      if (signal?.aborted) return

      // The status comes first: once it is terminal, the list that follows is complete.
      const { status } = await routes.getJobStatus({ job_id: jobId }, callOptions)
      for (;;) {
        const { events } = await routes.listJobEvents({ job_id: jobId, since: last ?? 0 }, callOptions)
        contact()
        for (const message of events) {
          if (isNew(message)) yield message
          if (isTerminalMessage(message)) return
        }
        if (events.length === 0) break
      }
      if (isTerminal(status)) return
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof MedloomError && error.isTransient)) throw error
      if (!lost) onConnection?.('lost', error)
      lost = true
      if (Date.now() - lastContact > patienceSeconds * 1000) throw error
    }
    await delay(pause * (0.75 + Math.random() / 2), signal)
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }
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
