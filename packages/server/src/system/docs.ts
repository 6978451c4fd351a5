import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { REPOSITORY } from '../repository.js'

const DOCUMENT = join(REPOSITORY, 'packages/contracts/generated/openapi.json')

/**
 * GET /openapi.json, the generated document, and GET /docs, a page that shows it and loads nothing from other hosts. Both are identical for
 * every service and need no token, since a browser cannot send a header for a typed address.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8')
  await app.register(async (open) => {
    open.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    open.get('/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(text),
    )
    await open.register(documentSource(JSON.parse(text)))
    await open.register(swaggerUi, {
      routePrefix: '/docs',
      theme: { title: 'Medloom' },
      uiConfig: { layout: 'BaseLayout', validatorUrl: null, docExpansion: 'list', deepLinking: true },
      transformSpecificationClone: false,
    })
  })
}

/**
 * The page expects the plugin that derives a document from the routes. The document is generated from the contracts, like the routes, so it
 * is provided in place of that plugin.
 */
function documentSource(document: unknown) {
  const plugin = async (app: FastifyInstance) => {
    app.decorate('swagger', () => document)
  }
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('plugin-meta')]: { name: '@fastify/swagger' },
  })
}
