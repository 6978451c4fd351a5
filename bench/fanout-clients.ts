import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * Many WebSocket clients in one process, as bare as the protocol allows, so that the measured machine spends its time on the
 * service. Talks to bench/fanout.ts: says when all are connected; counts from "count" on; answers "report".
 */
export interface ClientOrder {
  url: string
  jobId: string
  count: number
}
export interface ClientReport {
  connected: number
  delivered: number
  /** Progress messages that a connection did not get, because it was slow. */
  skipped: number
  terminals: number
  closedEarly: number
}

const SEQ = Buffer.from('"seq":')
const report: ClientReport = { connected: 0, delivered: 0, skipped: 0, terminals: 0, closedEarly: 0 }
const order = JSON.parse(process.argv[2] ?? '{}') as ClientOrder
const { hostname, port } = new URL(order.url)

process.on('message', (message) => {
  if (message === 'count') Object.assign(report, { delivered: 0, skipped: 0 })
  if (message === 'report') process.send?.(report)
})
for (let opened = 0; opened < order.count; opened += 100)
  await Promise.all(Array.from({ length: Math.min(100, order.count - opened) }, follow))
process.send?.('connected')

async function follow(): Promise<void> {
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `GET /ws/training/${order.jobId} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise<void>((connected) => {
    let upgraded = false
    let rest: Buffer = Buffer.alloc(0)
    const state = { lastSeq: 0, ended: false }
    socket.on('data', (data: Buffer) => {
      let bytes = rest.length > 0 ? Buffer.concat([rest, data]) : data
      if (!upgraded) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) {
          rest = bytes
          return
        }
        if (!bytes.toString('latin1', 0, 12).endsWith('101')) throw new Error(bytes.toString('latin1'))
        upgraded = true
        report.connected += 1
        connected()
        bytes = bytes.subarray(end + 4)
      }
      rest = takeFrames(bytes, socket, state)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (!state.ended) report.closedEarly += 1
    })
  })
}

/** Count the whole frames; what is left of the bytes waits for more. */
function takeFrames(bytes: Buffer, socket: Socket, state: { lastSeq: number; ended: boolean }): Buffer {
  let at = 0
  while (bytes.length - at >= 2) {
    const opcode = (bytes[at] ?? 0) & 0x0f
    let length = (bytes[at + 1] ?? 0) & 0x7f
    let header = 2
    if (length === 126) {
      if (bytes.length - at < 4) break
      length = bytes.readUInt16BE(at + 2)
      header = 4
    }
    if (bytes.length - at < header + length) break
    if (opcode === 1) message(bytes, at + header, state)
    // A pong without content; clients mask, also nothing.
    if (opcode === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
    at += header + length
  }
  return bytes.subarray(at)
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
