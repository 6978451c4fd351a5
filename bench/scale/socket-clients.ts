import { openBareSocket } from '../bare-socket.js'
import { isKept, numberIn } from './lines.js'
import { firstOrder } from './processes.js'

/**
 * Many followers in one process, each of one job. Each counts what it was told, how long after it was written, and what it lacks of the
 * messages that no follower may lack. Talks to bench/scale.ts: says when all are connected; answers "report".
 */
export interface SocketClientsOrder {
  /** Of processes that have the same number of them. */
  readonly urls: readonly string[]
  /** Of each socket the job that it follows. */
  readonly jobs: readonly string[]
}

export interface SocketClientsReport {
  readonly connected: number
  readonly delivered: number
  /** Kept messages between the first and the last that a socket got, and did not get. */
  readonly keptMissed: number
  /** Messages that came twice or out of order. */
  readonly disordered: number
  /** Progress that a slow connection did not get. */
  readonly progressSkipped: number
  readonly closedEarly: number
  /** Milliseconds from the writing of an event to its arrival. */
  readonly latencies: readonly number[]
}

const CONNECTING = 100
/** Latencies are kept of one message in so many. */
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
    order.jobs.slice(opened, opened + CONNECTING).map((jobId, at) => follow(jobId, opened + at)),
  )
process.send?.('connected')

async function follow(jobId: string, number: number): Promise<void> {
  let last = 0
  const url = order.urls[number % order.urls.length] ?? ''
  const socket = await openBareSocket(url, `/ws/training/${jobId}`, (bytes, start, end) => {
    const message = JSON.parse(bytes.toString('latin1', start, end))
    if (message.type === 'completed') return
    // The past of a job begins where it may: what lies before the first message was not missed.
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

/** @param history messages of the job that are of no event of its trainer. */
function compare(last: number, seq: number, history: number): void {
  if (seq <= last) counts.disordered += 1
  for (let missed = last + 1; missed < seq; missed++)
    if (isKept(missed - history)) counts.keptMissed += 1
    else counts.progressSkipped += 1
}
