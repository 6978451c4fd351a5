import { openBareSocket } from './bare-socket.js'

/**
 * Many minimal WebSocket clients in one process, so that the measured machine spends its time on the service. Protocol with
 * bench/fanout.ts: reports when all are connected; counts from "count" on; answers "report".
 */
export interface ClientOrder {
  url: string
  jobId: string
  count: number
}
export interface ClientReport {
  connected: number
  delivered: number
  /** Progress messages that a slow connection did not receive. */
  skipped: number
  terminals: number
  closedEarly: number
}

const SEQ = Buffer.from('"seq":')
const report: ClientReport = { connected: 0, delivered: 0, skipped: 0, terminals: 0, closedEarly: 0 }
const order = JSON.parse(process.argv[2] ?? '{}') as ClientOrder

process.on('message', (message) => {
  if (message === 'count') Object.assign(report, { delivered: 0, skipped: 0 })
  if (message === 'report') process.send?.(report)
})
for (let opened = 0; opened < order.count; opened += 100)
  await Promise.all(Array.from({ length: Math.min(100, order.count - opened) }, follow))
process.send?.('connected')

async function follow(): Promise<void> {
  const state = { lastSeq: 0, ended: false }
  const path = `/ws/training/${order.jobId}`
  const socket = await openBareSocket(order.url, path, (bytes, start) => message(bytes, start, state))
  report.connected += 1
  socket.on('close', () => {
    if (!state.ended) report.closedEarly += 1
  })
}

function message(bytes: Buffer, start: number, state: { lastSeq: number; ended: boolean }): void {
  let digit = bytes.indexOf(SEQ, start) + SEQ.length
  let seq = 0
  for (let code = bytes[digit] ?? 0; code >= 48 && code <= 57; code = bytes[++digit] ?? 0)
    seq = seq * 10 + code - 48
  report.delivered += 1
  if (state.lastSeq > 0) report.skipped += seq - state.lastSeq - 1
  state.lastSeq = seq
  // {"type":"completed" or {"type":"error"; epoch_end shares the first letter of the latter.
  const kind = bytes.toString('latin1', start + 9, start + 12)
  if (kind !== 'com' && kind !== 'err') return
  report.terminals += 1
  state.ended = true
}
