import type { HandlersOf } from '../http/bind.js'
import type { CasesService } from './cases.service.js'
import type { DatasetsService } from './datasets.service.js'

export function datasetsRoutes(service: DatasetsService, cases: CasesService): HandlersOf<'datasets'> {
  return {
    listDatasets: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { datasets: items, next_page_token }
    },
    registerDataset: ({ body, signal }) => service.register(body, signal),
    getDataset: ({ params }) => service.get(params.dataset_id),
    deleteDataset: ({ params, query }) => service.remove(params.dataset_id, query.dry_run === 'true'),
    listCases: ({ params, query, signal }) => cases.cases(params.dataset_id, query, signal),
    getDistribution: ({ params, query, signal }) => cases.distribution(params.dataset_id, query, signal),
    listThumbnails: ({ params, body, signal }) => cases.thumbnails(params.dataset_id, body, signal),
    getImage: ({ params, query, signal }) => cases.image(params, query, signal),
    getImageInfo: ({ params, signal }) => cases.info(params, signal),
    inspectDataset: ({ body, signal, onProgress }) => service.inspect(body, { signal, onProgress }),
  }
}
