import type { HandlersOf } from '../http/bind.js'
import type { CasesService } from './cases.service.js'
import type { DatasetsService } from './datasets.service.js'
import type { ExampleDatasets } from './example-dataset.js'

export function datasetsRoutes(
  service: DatasetsService,
  cases: CasesService,
  examples: ExampleDatasets,
): HandlersOf<'datasets'> {
  return {
    listDatasets: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { datasets: items, next_page_token }
    },
    registerDataset: ({ body, signal }) => service.register(body, signal),
    makeExample: ({ signal }) => examples.make(signal),
    getDataset: ({ params }) => service.get(params.dataset_id),
    editDataset: {
      admit: ({ params }) => service.get(params.dataset_id),
      work: ({ params, body, signal, onProgress }) =>
        service.edit(params.dataset_id, body, { signal, onProgress }),
    },
    deleteDataset: ({ params, query }) => service.remove(params.dataset_id, query.dry_run === 'true'),
    listCases: ({ params, query, signal }) => cases.cases(params.dataset_id, query, signal),
    getDistribution: ({ params, query, signal }) => cases.distribution(params.dataset_id, query, signal),
    listThumbnails: ({ params, body, signal }) => cases.thumbnails(params.dataset_id, body, signal),
    findLeaks: ({ params, signal, onProgress }) => cases.leaks(params.dataset_id, { signal, onProgress }),
    getImage: ({ params, query, signal }) => cases.image(params, query, signal),
    getImageInfo: ({ params, signal }) => cases.info(params, signal),
    inspectDataset: ({ body, signal, onProgress }) => service.inspect(body, { signal, onProgress }),
  }
}
