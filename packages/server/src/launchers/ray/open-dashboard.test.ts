import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { isOpenDashboard, warnOfOpenDashboard } from './open-dashboard.js'

/** An address of this machine that other machines can reach. */
const own = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === 'IPv4')?.address
if (!own) console.warn('tests of an open dashboard are skipped: this machine has no address but loopback')

let server: Server
afterEach(() => new Promise((done) => server.close(done)))

async function listen(host: string, status: number): Promise<string> {
  server = createServer((_, response) => response.writeHead(status).end('{}'))
  await new Promise<void>((done) => server.listen(0, host, done))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

describe('a dashboard', () => {
  it.skipIf(!own)('that answers without a token on the network is open, and the service warns', async () => {
    const address = await listen(own ?? '', 200)
    expect(await isOpenDashboard(address)).toBe(true)
    const warnings: unknown[] = []
    await warnOfOpenDashboard(address, { warn: (...words: unknown[]) => warnings.push(words) } as never)
    expect(JSON.stringify(warnings)).toContain('RAY_AUTH_MODE=token')
  })

  it.skipIf(!own)('that requires a token is not open', async () => {
    expect(await isOpenDashboard(await listen(own ?? '', 401))).toBe(false)
  })

  it('on loopback is not open', async () => {
    expect(await isOpenDashboard(await listen('127.0.0.1', 200))).toBe(false)
  })
})
