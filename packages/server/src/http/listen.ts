import type { FastifyInstance } from 'fastify'
import { StartError } from '../errors.js'
import type { Settings } from '../settings.js'

/** @returns the address, such as http://127.0.0.1:8000. @throws StartError */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartError(
        `port ${port} on ${host} is in use`,
        'Choose another port with --port; 0 selects a free port.',
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(
        `cannot listen on ${host}, port ${port} (${code})`,
        'Choose another --host or --port.',
      )
    throw error
  }
  const bound = app.server.address()
  const actual = bound !== null && typeof bound === 'object' ? bound.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
}
