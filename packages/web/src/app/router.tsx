import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Skeleton } from '../components/skeleton'
import { PAGE_DATA_TIMEOUT_MILLISECONDS, PAGE_PENDING_MILLISECONDS } from '../durations'
import { editorSearch } from '../editor/search'
import { DATASETS } from '../files/queries'
import { prefetchComparison } from '../pages/compare/queries'
import { compareSearch } from '../pages/compare/search'
import { prefetchDataset } from '../pages/data/prefetch'
import { datasetSearch, newSearch } from '../pages/data/search'
import { prefetchHome } from '../pages/home/queries'
import { modelSearch } from '../pages/model/search'
import { runSearch } from '../pages/run/search'
import { runsSearch } from '../pages/runs/search'
import { prefetchStudy } from '../pages/study/queries'
import { studiesSearch, studySearch } from '../pages/study/search'
import { prefetchSystem } from '../pages/system/queries'
import { prefetchInitialDataset } from '../pages/train/queries'
import { trainSearch } from '../pages/train/search'
import { prefetchWorkflows } from '../pages/workflows/queries'
import { workflowRunSearch, workflowsSearch } from '../pages/workflows/search'
import { loadTranslations } from '../text/translations'
import { ErrorPage, NotFoundPage } from './error-pages'
import { Layout } from './layout'
import { currentLanguage } from './preferences'
import { prefetch } from './service'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })
const underRoot = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

/** Requests the initial data of a page on arrival, while its code is loaded; later the page itself requests data. */
function prefetchOnEnter(
  { cause }: { readonly cause: 'preload' | 'enter' | 'stay' },
  request: () => Promise<unknown>,
): Promise<unknown> | undefined {
  if (cause === 'stay') return undefined
  const timeout = new Promise((resolve) => setTimeout(resolve, PAGE_DATA_TIMEOUT_MILLISECONDS))
  return Promise.race([request(), timeout])
}

/** A page whose code is loaded on demand together with its texts, so that it never waits for them after it is shown. */
function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, RouteComponent>>>,
  name: Name,
): RouteComponent {
  return lazyRouteComponent(async () => {
    const page = await load()
    await loadTranslations(currentLanguage())
    return page
  }, name)
}

// Each page is loaded when it is opened or when the user is about to follow a link to it.
const pages = [
  createRoute({
    ...underRoot('/'),
    loader: (to) => prefetchOnEnter(to, prefetchHome),
    component: lazyPage(() => import('../pages/home/home-page'), 'HomePage'),
  }),
  createRoute({
    ...underRoot('/data'),
    component: lazyPage(() => import('../pages/data/data-page'), 'DataPage'),
  }),
  createRoute({
    ...underRoot('/data/new'),
    validateSearch: newSearch,
    component: lazyPage(() => import('../pages/data/new-page'), 'NewDatasetPage'),
  }),
  createRoute({
    ...underRoot('/data/$datasetId'),
    validateSearch: datasetSearch,
    loader: (to) =>
      prefetchOnEnter(to, () =>
        prefetchDataset(to.params.datasetId, datasetSearch({ ...to.location.search })),
      ),
    component: lazyPage(() => import('../pages/data/dataset-page'), 'DatasetPage'),
  }),
  createRoute({
    ...underRoot('/runs'),
    validateSearch: runsSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetch('listUsers', {})),
    component: lazyPage(() => import('../pages/runs/runs-page'), 'RunsPage'),
  }),
  createRoute({
    ...underRoot('/runs/$jobId'),
    validateSearch: runSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetch('getJobStatus', { job_id: to.params.jobId })),
    component: lazyPage(() => import('../pages/run/run-page'), 'RunPage'),
  }),
  createRoute({
    ...underRoot('/compare'),
    validateSearch: compareSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetchComparison(compareSearch({ ...to.location.search }))),
    component: lazyPage(() => import('../pages/compare/compare-page'), 'ComparePage'),
  }),
  createRoute({
    ...underRoot('/train'),
    validateSearch: trainSearch,
    loader: (to) =>
      prefetchOnEnter(to, () => prefetchInitialDataset(trainSearch({ ...to.location.search }).dataset)),
    component: lazyPage(() => import('../pages/train/train-page'), 'TrainPage'),
  }),
  createRoute({
    ...underRoot('/studies'),
    validateSearch: studiesSearch,
    component: lazyPage(() => import('../pages/study/studies-page'), 'StudiesPage'),
  }),
  createRoute({
    ...underRoot('/studies/new'),
    loader: (to) => prefetchOnEnter(to, () => prefetch('listDatasets', DATASETS)),
    component: lazyPage(() => import('../pages/study/new-study-page'), 'NewStudyPage'),
  }),
  createRoute({
    ...underRoot('/studies/$studyId'),
    validateSearch: studySearch,
    loader: (to) => prefetchOnEnter(to, () => prefetchStudy(to.params.studyId)),
    component: lazyPage(() => import('../pages/study/study-page'), 'StudyPage'),
  }),
  createRoute({
    ...underRoot('/workflows'),
    validateSearch: workflowsSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetchWorkflows(workflowsSearch({ ...to.location.search }))),
    component: lazyPage(() => import('../pages/workflows/workflows-page'), 'WorkflowsPage'),
  }),
  createRoute({
    ...underRoot('/workflows/$workflowId'),
    validateSearch: editorSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetch('listNodes', {})),
    component: lazyPage(() => import('../pages/workflows/editor-page'), 'EditorPage'),
  }),
  createRoute({
    ...underRoot('/workflows/$workflowId/runs/$runId'),
    validateSearch: workflowRunSearch,
    loader: (to) =>
      prefetchOnEnter(to, () =>
        Promise.all([
          prefetch('getWorkflowRun', { workflow_id: to.params.workflowId, run_id: to.params.runId }),
          prefetch('listNodes', {}),
        ]),
      ),
    component: lazyPage(() => import('../pages/workflows/workflow-run-page'), 'WorkflowRunPage'),
  }),
  createRoute({
    ...underRoot('/system'),
    loader: (to) => prefetchOnEnter(to, prefetchSystem),
    component: lazyPage(() => import('../pages/system/system-page'), 'SystemPage'),
  }),
  createRoute({
    ...underRoot('/models'),
    component: lazyPage(() => import('../pages/models/models-page'), 'ModelsPage'),
  }),
  createRoute({
    ...underRoot('/models/$id'),
    validateSearch: modelSearch,
    loader: (to) => prefetchOnEnter(to, () => prefetch('getModel', { model_id: to.params.id })),
    component: lazyPage(() => import('../pages/model/model-page'), 'ModelPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton height={20} />,
  defaultPendingMs: PAGE_PENDING_MILLISECONDS,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
