import { ROUTES } from '@medloom/contracts'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { registerErrors } from '../http/errors.js'
import { registerGuard } from '../security/guard.js'
import { InternalRequests } from '../security/internal-requests.js'
import { healthOf } from './controller-health.js'

test('a controller that accepts no other requests answers a process of the service', async () => {
  const { path, access } = ROUTES.getHealth
  const app = Fastify()
  registerErrors(app)
  registerGuard(app, {
    host: '127.0.0.1',
    authentication: { actorOf: async () => null } as never,
    internal: new InternalRequests('key'),
  })
  app.get(path, { config: { access } }, async () => ({ status: 'healthy' }))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  expect(await healthOf({ address, internalKey: 'key' }, 10_000)).toBe(200)
  expect(await healthOf({ address, internalKey: 'another' }, 10_000)).toBe(401)
  await app.close()
  expect(await healthOf({ address, internalKey: 'key' }, 10_000)).toBeNull()
})
