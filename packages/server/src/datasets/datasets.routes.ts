import type { HandlersOf } from '../http/bind.js'
import type { DatasetsService } from './datasets.service.js'

export function datasetsRoutes(service: DatasetsService): HandlersOf<'datasets'> {
  return {
    listDatasets: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { datasets: items, next_page_token }
    },
    registerDataset: ({ body, signal }) => service.register(body, signal),
    getDataset: ({ params }) => service.get(params.dataset_id),
    deleteDataset: ({ params, query }) => service.remove(params.dataset_id, query.dry_run === 'true'),
    inspectDataset: ({ body, signal }) => service.inspect(body, signal),
  }
}
