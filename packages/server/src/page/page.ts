import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { REPOSITORY } from '../repository.js'
import { isPageRequest } from './page-address.js'

/** Output folder of the page build: index.html, and assets/ with a digest of their contents in each name. */
export const BUILT_PAGE = join(REPOSITORY, 'packages', 'web', 'dist')

const YEAR = '365d'
const NOT_BUILT = `The page of this service is not built.

Run "npm run setup" in the folder of Medloom, then reload this page.
The HTTP interface is described at /docs.
`

/**
 * Serves the page at `/` and at all of its addresses, and its assets. Like /docs, the page is identical for every service, contains no data
 * of this one, and needs no token. `folder` contains both; each file may have .br and .gz variants, which are preferred if the browser
 * accepts them.
 */
export async function registerPage(app: FastifyInstance, folder = BUILT_PAGE): Promise<void> {
  app.addConstraintStrategy(PAGE_ADDRESSES)
  await app.register(async (open) => {
    open.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    await open.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      immutable: true,
      maxAge: YEAR,
      suppressWarning: true,
    })
    open.get('/*', { constraints: { page: true } }, async (_request, reply) => {
      if (!existsSync(join(folder, 'index.html')))
        return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT)
      return reply.sendFile('index.html', folder, { cacheControl: false })
    })
  })
}

/** The router calls this for each request, so that other requests remain unknown to it: a JSON 404, or a 401. */
const PAGE_ADDRESSES = {
  name: 'page',
  deriveConstraint: isPageRequest,
  storage() {
    let route: unknown = null
    return {
      get: (isPage: boolean) => (isPage ? route : null),
      set: (_: boolean, store: unknown) => {
        route = store
      },
    } as never
  },
}
