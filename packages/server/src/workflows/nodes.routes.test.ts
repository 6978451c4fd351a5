import { NODES, NodeCatalog } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { nodesRoutes } from './nodes.routes.js'

it('GET /api/nodes answers every node of the catalog, as JSON can carry it', async () => {
  const request = { params: {}, query: {}, body: {}, idempotencyKey: undefined }
  const answer = await nodesRoutes().listNodes(request)
  expect(NodeCatalog.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
  expect(answer.nodes.map(({ type }) => type)).toEqual(Object.keys(NODES))
})
