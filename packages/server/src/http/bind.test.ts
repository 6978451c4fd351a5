import type { BackgroundTask } from '@medloom/contracts'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { LOCAL } from '../security/actor.js'
import { currentUser } from '../security/on-behalf-of.js'
import { type Binding, bindRoutes, type Operations } from './bind.js'
import type { Idempotency } from './idempotency/idempotency.js'

test.each(['true', 'false'])('work is done on behalf of the user who requests it (wait=%s)', async (wait) => {
  const app = Fastify()
  app.decorateRequest('actor', null)
  app.addHook('onRequest', async (request) => {
    request.actor = { ...LOCAL, user: 'ann' }
  })
  const inspectDataset = async () => ({ user: currentUser() })
  const operations: Operations = { carryOut: ({ params }, work) => work(async () => undefined, params) }
  const once: Idempotency['once'] = (_key, _request, work) => work(async () => undefined)
  const begin: Binding['tasks']['begin'] = (_name, _request, _owner, work) =>
    work(new AbortController().signal, () => undefined) as Promise<BackgroundTask>
  bindRoutes(app, {
    handlers: { inspectDataset },
    operations,
    idempotency: { once },
    tasks: { begin },
  } as unknown as Binding)
  const url = `/api/datasets/inspect?wait=${wait}`
  expect((await app.inject({ method: 'POST', url, payload: { path: 'a.csv' } })).json()).toEqual({
    user: 'ann',
  })
  expect(currentUser()).toBeNull()
  await app.close()
})
