import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Skeleton } from '../components/skeleton'
import { editorSearch } from '../editor/search'
import { compareSearch } from '../pages/compare/search'
import { prefetchDataset } from '../pages/data/prefetch'
import { datasetSearch, newSearch } from '../pages/data/search'
import { modelSearch } from '../pages/model/search'
import { runSearch } from '../pages/run/search'
import { runsSearch } from '../pages/runs/search'
import { studiesSearch, studySearch } from '../pages/study/search'
import { workflowRunSearch, workflowsSearch } from '../pages/workflows/search'
import { Layout } from './layout'
import { BrokenPage, NotFoundPage } from './not-found'
import { prefetch } from './service'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })
const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

/** What a page shows first is asked for on arrival, while its code is loaded; later it is the page that asks. */
function onArrival({ cause }: { readonly cause: 'preload' | 'enter' | 'stay' }, ask: () => unknown): void {
  if (cause !== 'stay') void ask()
}

// Each page is loaded when it is opened, or when a link to it is about to be.
const pages = [
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('../pages/home/home-page'), 'HomePage'),
  }),
  createRoute({
    ...at('/data'),
    component: lazyRouteComponent(() => import('../pages/data/data-page'), 'DataPage'),
  }),
  createRoute({
    ...at('/data/new'),
    validateSearch: newSearch,
    component: lazyRouteComponent(() => import('../pages/data/new-page'), 'NewDatasetPage'),
  }),
  createRoute({
    ...at('/data/$datasetId'),
    validateSearch: datasetSearch,
    loader: (to) =>
      onArrival(to, () => prefetchDataset(to.params.datasetId, datasetSearch({ ...to.location.search }))),
    component: lazyRouteComponent(() => import('../pages/data/dataset-page'), 'DatasetPage'),
  }),
  createRoute({
    ...at('/runs'),
    validateSearch: runsSearch,
    component: lazyRouteComponent(() => import('../pages/runs/runs-page'), 'RunsPage'),
  }),
  createRoute({
    ...at('/runs/$jobId'),
    validateSearch: runSearch,
    loader: (to) => onArrival(to, () => prefetch('getJobStatus', { job_id: to.params.jobId })),
    component: lazyRouteComponent(() => import('../pages/run/run-page'), 'RunPage'),
  }),
  createRoute({
    ...at('/compare'),
    validateSearch: compareSearch,
    component: lazyRouteComponent(() => import('../pages/compare/compare-page'), 'ComparePage'),
  }),
  createRoute({
    ...at('/train'),
    validateSearch: ({ from, dataset }: Record<string, unknown>): { from?: string; dataset?: string } => ({
      ...(typeof from === 'string' ? { from } : {}),
      ...(typeof dataset === 'string' ? { dataset } : {}),
    }),
    component: lazyRouteComponent(() => import('../pages/train/train-page'), 'TrainPage'),
  }),
  createRoute({
    ...at('/studies'),
    validateSearch: studiesSearch,
    component: lazyRouteComponent(() => import('../pages/study/studies-page'), 'StudiesPage'),
  }),
  createRoute({
    ...at('/studies/new'),
    component: lazyRouteComponent(() => import('../pages/study/new-study-page'), 'NewStudyPage'),
  }),
  createRoute({
    ...at('/studies/$studyId'),
    validateSearch: studySearch,
    loader: (to) => onArrival(to, () => prefetch('getStudy', { study_id: to.params.studyId })),
    component: lazyRouteComponent(() => import('../pages/study/study-page'), 'StudyPage'),
  }),
  createRoute({
    ...at('/workflows'),
    validateSearch: workflowsSearch,
    component: lazyRouteComponent(() => import('../pages/workflows/workflows-page'), 'WorkflowsPage'),
  }),
  createRoute({
    ...at('/workflows/$workflowId'),
    validateSearch: editorSearch,
    loader: (to) => onArrival(to, () => prefetch('listNodes', {})),
    component: lazyRouteComponent(() => import('../pages/workflows/editor-page'), 'EditorPage'),
  }),
  createRoute({
    ...at('/workflows/$workflowId/runs/$runId'),
    validateSearch: workflowRunSearch,
    loader: (to) =>
      onArrival(to, () => {
        prefetch('getWorkflowRun', { workflow_id: to.params.workflowId, run_id: to.params.runId })
        prefetch('listNodes', {})
      }),
    component: lazyRouteComponent(() => import('../pages/workflows/workflow-run-page'), 'WorkflowRunPage'),
  }),
  createRoute({
    ...at('/dev/components'),
    component: lazyRouteComponent(() => import('../pages/dev/components-page'), 'ComponentsPage'),
  }),
  createRoute({
    ...at('/system'),
    component: lazyRouteComponent(() => import('../pages/system/system-page'), 'SystemPage'),
  }),
  createRoute({
    ...at('/models'),
    component: lazyRouteComponent(() => import('../pages/models/models-page'), 'ModelsPage'),
  }),
  createRoute({
    ...at('/models/$id'),
    validateSearch: modelSearch,
    loader: (to) => onArrival(to, () => prefetch('getModel', { model_id: to.params.id })),
    component: lazyRouteComponent(() => import('../pages/model/model-page'), 'ModelPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton height={20} />,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
