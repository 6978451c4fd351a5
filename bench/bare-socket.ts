import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Callback for a text message of a WebSocket: its bytes are valid until the call returns. */
export type OnText = (bytes: Buffer, start: number, end: number) => void

/**
 * A minimal WebSocket client, so that a measured machine spends its time on the service.
 * @returns once it is connected.
 */
export async function openBareSocket(url: string, path: string, onText: OnText): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise<void>((connected) => {
    let upgraded = false
    let rest: Buffer = Buffer.alloc(0)
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
        connected()
        bytes = bytes.subarray(end + 4)
      }
      rest = takeFrames(bytes, socket, onText)
    })
    socket.on('error', () => undefined)
  })
  return socket
}

/** Processes the complete frames; the remaining bytes wait for more. */
function takeFrames(bytes: Buffer, socket: Socket, onText: OnText): Buffer {
  let offset = 0
  while (bytes.length - offset >= 2) {
    const opcode = (bytes[offset] ?? 0) & 0x0f
    let length = (bytes[offset + 1] ?? 0) & 0x7f
    let header = 2
    if (length === 126) {
      if (bytes.length - offset < 4) break
      length = bytes.readUInt16BE(offset + 2)
      header = 4
    } else if (length === 127) {
      if (bytes.length - offset < 10) break
      length = Number(bytes.readBigUInt64BE(offset + 2))
      header = 10
    }
    if (bytes.length - offset < header + length) break
    if (opcode === 1) onText(bytes, offset + header, offset + header + length)
    // A pong without content; clients mask even empty content.
    if (opcode === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
    offset += header + length
  }
  return bytes.subarray(offset)
}
