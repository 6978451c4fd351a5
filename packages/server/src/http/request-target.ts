import { phrase } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.js'

/**
 * Refuses a request whose target is not a path. The router would match an absolute-form target (`GET http://host/path`, RFC 9112, 3.2.2) by
 * its path, while code that resolves it as an address would use its host.
 */
export function registerRequestTarget(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { url = '' } }) => {
    if (!url.startsWith('/'))
      throw new AppError('INVALID_REQUEST', phrase('target_not_a_path'), phrase('send_only_path'))
  })
}
