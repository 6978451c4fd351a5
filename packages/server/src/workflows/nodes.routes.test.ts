import { NODES, NodeCatalog } from '@medloom/contracts'
import type { FastifyReply } from 'fastify'
import { expect, it } from 'vitest'
import { LOCAL } from '../security/actor.js'
import { nodesRoutes } from './nodes.routes.js'

it('GET /api/nodes returns every node of the catalog as JSON', async () => {
  const request = {
    params: {},
    query: {},
    body: {},
    idempotencyKey: undefined,
    remember: async () => {},
    onProgress: () => undefined,
    signal: new AbortController().signal,
    actor: LOCAL,
    reply: {} as FastifyReply,
  }
  const answer = await nodesRoutes({
    folder: null,
    known: async () => ({ catalog: NODES, problems: [] }),
  }).listNodes(request)
  const catalog = NodeCatalog.parse(JSON.parse(JSON.stringify(answer)))
  expect(catalog).toEqual(answer)
  expect(catalog.nodes.map(({ type }) => type)).toEqual(Object.keys(NODES))
})
