/** @module-tag service */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { describeOnPostgres } from '../../../testing/databases.js'
import { ServerConnection } from './server-connection.js'

describeOnPostgres((databases) => {
  const open = async (url: string, onLost: (error: Error) => void) =>
    ServerConnection.open({
      ...{ url, name: 'medloom-watched', silenceMilliseconds: 200, reconnect: true },
      events: { onLost },
    })

  test('a session behind a network that transmits nothing is detected, and replaced when the network recovers', {
    tags: ['full'],
  }, async () => {
    const { url } = (await databases.place()) as { url: string }
    const network = await relay(new URL(url))
    const onLost = vi.fn()
    const connection = await open(network.url, onLost)
    network.pause()
    const query = connection.session().query('SELECT 1')
    await expect(query).rejects.toMatchObject({
      kind: 'lost',
      message: expect.stringContaining('cannot be reached'),
    })
    expect(onLost).toHaveBeenCalledOnce()
    network.resume()
    await expect
      .poll(() =>
        connection
          .session()
          .query('SELECT 1')
          .catch(() => undefined),
      )
      .toMatchObject({ count: 1 })
    await connection.close()
    network.close()
  })

  test('a slow statement is not interrupted', async () => {
    const { url } = (await databases.place()) as { url: string }
    const onLost = vi.fn()
    const connection = await open(url, onLost)
    expect(await connection.session().query('SELECT pg_sleep(1.5), 7 AS seven')).toMatchObject({
      rows: [{ seven: 7 }],
    })
    expect(onLost).not.toHaveBeenCalled()
    await connection.close()
  })
})

/** A network between a client and a server that can stop transmitting without informing either side. */
async function relay({ hostname, port, pathname, username }: URL) {
  const sockets = new Set<Socket>()
  let isPaused = false
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => void (isPaused || to.write(data)))
      from.on('close', () => isPaused || to.destroy())
      from.on('error', () => undefined)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
