import { repeatEvery } from '../concurrency/repeat-every.js'
import type { ServiceContext } from '../context.js'
import type { TasksService } from '../tasks/tasks.service.js'
import { trimBrowseCache } from './browse-cache.js'
import { CasesService } from './cases.service.js'
import { datasetsRoutes } from './datasets.routes.js'
import { DatasetsService } from './datasets.service.js'
import { ExampleDatasets } from './example-dataset.js'
import { Inspections } from './inspections.js'

const TRIM_MILLISECONDS = 3600 * 1000

export function createDatasets(context: ServiceContext, tasks: Pick<TasksService, 'get'>) {
  const { folder, log, settings } = context
  const datasets = new DatasetsService(context, new Inspections(tasks))
  const trim = () =>
    void trimBrowseCache(folder.cache, settings.cacheSeconds).catch((error) =>
      log.warn({ err: error }, 'the image cache could not be cleaned up'),
    )
  const close = repeatEvery(TRIM_MILLISECONDS, trim)
  trim()
  return {
    routes: datasetsRoutes(
      datasets,
      new CasesService(context, datasets),
      new ExampleDatasets(context, datasets),
    ),
    close,
  }
}
