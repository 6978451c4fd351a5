import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { HandlersOf } from '../http/bind.js'
import { resolveOwner } from '../people/resolve-owner.js'
import type { Actor } from '../security/actor.js'
import type { CasesService } from './cases.service.js'
import type { Registrant } from './datasets.repository.js'
import type { DatasetsService } from './datasets.service.js'
import type { ExampleDatasets } from './example-dataset.js'

export function datasetsRoutes(
  service: DatasetsService,
  cases: CasesService,
  examples: ExampleDatasets,
): HandlersOf<'datasets'> {
  return {
    ...datasetReadRoutes(service),
    registerDataset: ({ body, actor, signal }) => service.register(body, registrantOf(actor), actor, signal),
    makeExample: ({ actor, signal }) => examples.make(actor.user, signal),
    editDataset: {
      admit: ({ params }) => service.get(params.dataset_id),
      work: ({ params, body, actor, signal, onProgress }) =>
        service.edit(params.dataset_id, body, actor, { signal, onProgress }),
    },
    deleteDataset: ({ params, query }) => service.remove(params.dataset_id, query.dry_run === 'true'),
    listCases: ({ params, query, signal }) => cases.cases(params.dataset_id, query, signal),
    getDistribution: ({ params, query, signal }) => cases.distribution(params.dataset_id, query, signal),
    listThumbnails: ({ params, body, signal }) => cases.thumbnails(params.dataset_id, body, signal),
    findLeaks: ({ params, signal, onProgress }) => cases.leaks(params.dataset_id, { signal, onProgress }),
    getImage: ({ params, query, signal }) => cases.image(params, query, signal),
    getImageInfo: ({ params, signal }) => cases.info(params, signal),
    inspectDataset: ({ body, signal, onProgress }) => service.inspect(body, { signal, onProgress }),
    previewCases: ({ body, actor, signal }) => cases.preview(body, actor, signal),
    proposeRecipe: ({ body, signal, onProgress }) => service.propose(body, { signal, onProgress }),
  }
}

/** Routes that any process answers from the database. */
export function datasetReadRoutes(
  service: DatasetsService,
): Pick<HandlersOf<'datasets'>, 'listDatasets' | 'getDataset'> {
  return {
    listDatasets: async ({ query, actor }) => {
      const { page_size, page_token, owner } = resolveOwner(actor, query)
      const { items, next_page_token } = await service.list(page_size, page_token, owner)
      return { datasets: items, next_page_token }
    },
    getDataset: ({ params }) => service.get(params.dataset_id),
  }
}

/** A path is one dataset: registering it again changes the registration of another user. */
function registrantOf({ user, role }: Actor): Registrant {
  return {
    owner: user,
    mayReplace(owner) {
      if (role === 'admin' || owner === user) return
      throw new AppError(
        'FORBIDDEN',
        phrase('path_registered', {
          as: [owner === null ? phrase('as_unowned_dataset') : phrase('as_dataset_of', { owner })],
        }),
        phrase('use_registered_dataset'),
      )
    },
  }
}
