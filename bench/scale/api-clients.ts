import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { firstOrder } from './processes.js'

/**
 * API clients in one process, each on its own connection. Requests are sent when they are due, whether or not earlier responses have arrived,
 * and their time counts from then on. Protocol with bench/scale.ts: answers its order with the report.
 */
export interface ApiClientsOrder {
  /** Addresses of the processes, used in turn. */
  readonly urls: readonly string[]
  readonly clients: number
  /** Time before the measurement. */
  readonly warmUpSeconds: number
  readonly seconds: number
  readonly loads: readonly RequestLoad[]
}

export interface RequestLoad {
  readonly name: string
  /** Requests of all clients together. */
  readonly perSecond: number
  /** Requested in turn. */
  readonly paths: readonly string[]
  readonly body?: object
}

export type ApiClientsReport = Readonly<Record<string, { readonly times: number[]; readonly failed: number }>>

const order = await firstOrder<ApiClientsOrder>()
const agent = new Agent({ keepAlive: true, maxSockets: order.clients })
const report = Object.fromEntries(
  await Promise.all(order.loads.map(async (load) => [load.name, await all(load)])),
)
process.send?.(report satisfies ApiClientsReport, () => process.exit(0))

async function all({ perSecond, paths, body }: RequestLoad) {
  const text = body && JSON.stringify(body)
  const times: number[] = []
  let failed = 0
  const pending: Promise<void>[] = []
  const began = performance.now()
  const counts = began + order.warmUpSeconds * 1000
  for (let count = 0; count < (order.warmUpSeconds + order.seconds) * perSecond; count++) {
    const due = began + (count * 1000) / perSecond
    await delay(Math.max(0, due - performance.now()))
    pending.push(
      send((order.urls[count % order.urls.length] ?? '') + paths[count % paths.length], text).then(
        () => {
          if (due >= counts) times.push(performance.now() - due)
        },
        () => {
          failed += 1
        },
      ),
    )
  }
  await Promise.all(pending)
  return { times, failed }
}

function send(url: string, body: string | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    request(url, { agent, method, headers }, (response) => {
      response.resume()
      response.on('end', () => (response.statusCode === 200 ? done() : fail(new Error(url))))
    })
      .on('error', fail)
      .end(body)
  })
}
