import { openBareSocket } from '../bare-socket.js'
import { isKept, numberIn } from './lines.js'
import { firstOrder } from './processes.js'

/**
 * Many followers in one process, each of one job. Each counts the received messages, their delay after writing, and missing messages that no
 * follower may miss. Protocol with bench/scale.ts: reports when all are connected; answers "report".
 */
export interface SocketClientsOrder {
  /** Addresses of processes with equal numbers of followers. */
  readonly urls: readonly string[]
  /** The followed job of each socket. */
  readonly jobs: readonly string[]
}

export interface SocketClientsReport {
  readonly connected: number
  readonly delivered: number
  /** Kept messages between the first and the last that a socket received, and missed ones. */
  readonly keptMissed: number
  /** Messages that arrived twice or out of order. */
  readonly disordered: number
  /** Progress messages that a slow connection did not receive. */
  readonly progressSkipped: number
  readonly closedEarly: number
  /** Milliseconds from the writing of an event to its arrival. */
  readonly latencies: readonly number[]
}

const CONNECTING = 100
/** Latencies are recorded for one of this many messages. */
const SAMPLED = 10

const order = await firstOrder<SocketClientsOrder>()
const counts = {
  connected: 0,
  delivered: 0,
  keptMissed: 0,
  disordered: 0,
  progressSkipped: 0,
  closedEarly: 0,
}
let latencies: number[] = []
let ending = false

process.on('message', (message) => {
  if (message === 'reset') {
    Object.assign(counts, { delivered: 0, progressSkipped: 0 })
    latencies = []
  }
  if (message === 'report') process.send?.({ ...counts, latencies } satisfies SocketClientsReport)
  if (message === 'end') {
    ending = true
    process.exit(0)
  }
})
for (let opened = 0; opened < order.jobs.length; opened += CONNECTING)
  await Promise.all(
    order.jobs.slice(opened, opened + CONNECTING).map((jobId, index) => follow(jobId, opened + index)),
  )
process.send?.('connected')

async function follow(jobId: string, number: number): Promise<void> {
  let last = 0
  const url = order.urls[number % order.urls.length] ?? ''
  const socket = await openBareSocket(url, `/ws/training/${jobId}`, (bytes, start, end) => {
    const message = JSON.parse(bytes.toString('latin1', start, end))
    if (message.type === 'completed') return
    // The history of a job starts at an arbitrary point: messages before the first one were not missed.
    if (last > 0) compare(last, message.seq, message.seq - numberIn(message))
    last = Math.max(last, message.seq)
    counts.delivered += 1
    if (counts.delivered % SAMPLED === 0) latencies.push(Date.now() - Date.parse(message.timestamp))
  })
  counts.connected += 1
  socket.on('close', () => {
    if (!ending) counts.closedEarly += 1
  })
}

/** @param history messages of the job that do not belong to an event of its trainer. */
function compare(last: number, seq: number, history: number): void {
  if (seq <= last) counts.disordered += 1
  for (let missed = last + 1; missed < seq; missed++)
    if (isKept(missed - history)) counts.keptMissed += 1
    else counts.progressSkipped += 1
}
