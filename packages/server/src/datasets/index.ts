import type { ServiceContext } from '../context.js'
import { trimBrowseCache } from './browse-cache.js'
import { CasesService } from './cases.service.js'
import { datasetsRoutes } from './datasets.routes.js'
import { DatasetsService } from './datasets.service.js'

const TRIM_MILLISECONDS = 3600 * 1000

export function createDatasets(context: ServiceContext) {
  const { folder, log, settings } = context
  const datasets = new DatasetsService(context)
  const trim = () =>
    void trimBrowseCache(folder.cache, settings.cacheSeconds).catch((error) =>
      log.warn({ err: error }, 'the cache of pictures could not be cleaned up'),
    )
  const timer = setInterval(trim, TRIM_MILLISECONDS)
  timer.unref()
  trim()
  return {
    routes: datasetsRoutes(datasets, new CasesService(context, datasets)),
    close: () => clearInterval(timer),
  }
}
