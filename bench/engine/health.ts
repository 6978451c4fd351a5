import { Agent, request } from 'node:http'

/**
 * Sends a request a hundred times a second, whether or not earlier responses have arrived, in a separate process, so that the bench's own work
 * delays no request. Protocol with bench/engine/service.ts: answers every message with the milliseconds since the last one.
 */
const [url = ''] = process.argv.slice(2)
const EVERY = 10
const agent = new Agent({ keepAlive: true })
let times: number[] = []
let due = performance.now()

process.on('message', () => {
  process.send?.(times)
  times = []
})
process.on('disconnect', () => process.exit(0))
sendNext()

function sendNext(): void {
  const requestedAt = due
  request(url, { agent }, (response) => {
    response.resume()
    response.on('end', () => times.push(performance.now() - requestedAt))
  })
    .on('error', () => undefined)
    .end()
  due += EVERY
  setTimeout(sendNext, Math.max(0, due - performance.now()))
}
