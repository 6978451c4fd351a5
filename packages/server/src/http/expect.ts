import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.js'

/** RFC 9110, 10.1.1: Node itself answers "100-continue"; any other expectation is refused, by the router like every request. */
export function registerExpect(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  app.addHook('onRequest', async ({ headers: { expect } }) => {
    if (expect !== undefined && !/^100-continue$/i.test(expect))
      throw new AppError(
        'INVALID_REQUEST',
        'the header Expect has a value other than "100-continue"',
        'Remove the header Expect, or send "Expect: 100-continue".',
      )
  })
}
