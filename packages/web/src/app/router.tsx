import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Skeleton } from '../components/skeleton'
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
import { prefetchFirstDataset } from '../pages/train/queries'
import { trainSearch } from '../pages/train/search'
import { prefetchWorkflows } from '../pages/workflows/queries'
import { workflowRunSearch, workflowsSearch } from '../pages/workflows/search'
import { loadTranslations } from '../text/translations'
import { Layout } from './layout'
import { BrokenPage, NotFoundPage } from './not-found'
import { currentLanguage } from './preferences'
import { prefetch } from './service'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })
const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

/** Delay before the loading state of a page is visible; until then the previous page stays. */
const PENDING_MILLISECONDS = 300
/** Longest wait for the initial data of a page. A page appears together with its data so that nothing moves; slower data appears later. */
const PATIENCE_MILLISECONDS = 5_000

/** Requests the initial data of a page on arrival, while its code is loaded; later the page itself requests data. */
function onArrival(
  { cause }: { readonly cause: 'preload' | 'enter' | 'stay' },
  ask: () => Promise<unknown>,
): Promise<unknown> | undefined {
  if (cause === 'stay') return undefined
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MILLISECONDS))
  return Promise.race([ask(), patience])
}

/** A page whose code is loaded on demand together with its texts, so that it never waits for them after it is shown. */
function pageOf<Name extends string>(
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
    ...at('/'),
    loader: (to) => onArrival(to, prefetchHome),
    component: pageOf(() => import('../pages/home/home-page'), 'HomePage'),
  }),
  createRoute({
    ...at('/data'),
    component: pageOf(() => import('../pages/data/data-page'), 'DataPage'),
  }),
  createRoute({
    ...at('/data/new'),
    validateSearch: newSearch,
    component: pageOf(() => import('../pages/data/new-page'), 'NewDatasetPage'),
  }),
  createRoute({
    ...at('/data/$datasetId'),
    validateSearch: datasetSearch,
    loader: (to) =>
      onArrival(to, () => prefetchDataset(to.params.datasetId, datasetSearch({ ...to.location.search }))),
    component: pageOf(() => import('../pages/data/dataset-page'), 'DatasetPage'),
  }),
  createRoute({
    ...at('/runs'),
    validateSearch: runsSearch,
    loader: (to) => onArrival(to, () => prefetch('listUsers', {})),
    component: pageOf(() => import('../pages/runs/runs-page'), 'RunsPage'),
  }),
  createRoute({
    ...at('/runs/$jobId'),
    validateSearch: runSearch,
    loader: (to) => onArrival(to, () => prefetch('getJobStatus', { job_id: to.params.jobId })),
    component: pageOf(() => import('../pages/run/run-page'), 'RunPage'),
  }),
  createRoute({
    ...at('/compare'),
    validateSearch: compareSearch,
    loader: (to) => onArrival(to, () => prefetchComparison(compareSearch({ ...to.location.search }))),
    component: pageOf(() => import('../pages/compare/compare-page'), 'ComparePage'),
  }),
  createRoute({
    ...at('/train'),
    validateSearch: trainSearch,
    loader: (to) => onArrival(to, () => prefetchFirstDataset(trainSearch({ ...to.location.search }).dataset)),
    component: pageOf(() => import('../pages/train/train-page'), 'TrainPage'),
  }),
  createRoute({
    ...at('/studies'),
    validateSearch: studiesSearch,
    component: pageOf(() => import('../pages/study/studies-page'), 'StudiesPage'),
  }),
  createRoute({
    ...at('/studies/new'),
    loader: (to) => onArrival(to, () => prefetch('listDatasets', DATASETS)),
    component: pageOf(() => import('../pages/study/new-study-page'), 'NewStudyPage'),
  }),
  createRoute({
    ...at('/studies/$studyId'),
    validateSearch: studySearch,
    loader: (to) => onArrival(to, () => prefetchStudy(to.params.studyId)),
    component: pageOf(() => import('../pages/study/study-page'), 'StudyPage'),
  }),
  createRoute({
    ...at('/workflows'),
    validateSearch: workflowsSearch,
    loader: (to) => onArrival(to, () => prefetchWorkflows(workflowsSearch({ ...to.location.search }))),
    component: pageOf(() => import('../pages/workflows/workflows-page'), 'WorkflowsPage'),
  }),
  createRoute({
    ...at('/workflows/$workflowId'),
    validateSearch: editorSearch,
    loader: (to) => onArrival(to, () => prefetch('listNodes', {})),
    component: pageOf(() => import('../pages/workflows/editor-page'), 'EditorPage'),
  }),
  createRoute({
    ...at('/workflows/$workflowId/runs/$runId'),
    validateSearch: workflowRunSearch,
    loader: (to) =>
      onArrival(to, () =>
        Promise.all([
          prefetch('getWorkflowRun', { workflow_id: to.params.workflowId, run_id: to.params.runId }),
          prefetch('listNodes', {}),
        ]),
      ),
    component: pageOf(() => import('../pages/workflows/workflow-run-page'), 'WorkflowRunPage'),
  }),
  createRoute({
    ...at('/system'),
    loader: (to) => onArrival(to, prefetchSystem),
    component: pageOf(() => import('../pages/system/system-page'), 'SystemPage'),
  }),
  createRoute({
    ...at('/models'),
    component: pageOf(() => import('../pages/models/models-page'), 'ModelsPage'),
  }),
  createRoute({
    ...at('/models/$id'),
    validateSearch: modelSearch,
    loader: (to) => onArrival(to, () => prefetch('getModel', { model_id: to.params.id })),
    component: pageOf(() => import('../pages/model/model-page'), 'ModelPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton height={20} />,
  defaultPendingMs: PENDING_MILLISECONDS,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
