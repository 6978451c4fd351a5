import { phrase } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.js'

/** RFC 9110, 10.1.1: Node itself answers "100-continue"; any other expectation is refused, by the router like every request. */
export function registerExpect(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  app.addHook('onRequest', async ({ headers: { expect } }) => {
    if (expect !== undefined && !/^100-continue$/i.test(expect))
      throw new AppError('INVALID_REQUEST', phrase('expect_header_unknown'), phrase('remove_expect'))
  })
}
