import type { HandlersOf } from '../http/bind.js'
import type { AliasesService } from './aliases.service.js'

export function aliasesRoutes(service: AliasesService): HandlersOf<'aliases'> {
  return {
    listAliases: async () => ({ aliases: await service.list() }),
    getAlias: ({ params, query }) => service.get(params.alias, query.at),
    listAliasMoves: async ({ params, query }) => {
      const { items, next_page_token } = await service.history(
        params.alias,
        query.page_size,
        query.page_token,
      )
      return { moves: items, next_page_token }
    },
    setAlias: ({ params, body, actor }) => service.set(params.alias, body, actor.user),
    removeAlias: ({ params, actor }) => service.remove(params.alias, actor.user),
  }
}
