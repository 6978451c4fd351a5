/**
 * Thread that increments the beat counter of a controller, on a separate connection: however busy the main thread is, other processes see
 * that the controller is alive. Plain JavaScript, because a thread loads its file directly.
 */
import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'

if (!parentPort) throw new Error('this file is the start of a thread')
const port = parentPort
/** @type {{ url: string, fence: number, beatMilliseconds: number, busyMilliseconds: number }} */
const { url, fence, beatMilliseconds, busyMilliseconds } = workerData
let heard = performance.now()
/** @type {pg.Client | undefined} */
let client
let beating = false

port.on('message', () => {
  heard = performance.now()
})
const timer = setInterval(() => void beat(), beatMilliseconds)
port.on('close', () => {
  clearInterval(timer)
  client?.end().catch(() => undefined)
})
void beat()

async function beat() {
  // A main thread that is silent for this long hangs.
  if (beating || performance.now() - heard > busyMilliseconds) return
  beating = true
  try {
    client ??= await connect()
    await client.query('UPDATE controllers SET beats = beats + 1 WHERE fence = $1', [fence])
  } catch (error) {
    port.postMessage(String(error))
    client?.end().catch(() => undefined)
    client = undefined
  }
  beating = false
}

async function connect() {
  const opened = new pg.Client({
    connectionString: url,
    application_name: 'medloom-controller-beats',
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
  })
  opened.on('error', () => {
    client = undefined
  })
  await opened.connect()
  // For a value that is written again in a second.
  await opened.query('SET synchronous_commit = off')
  return opened
}
