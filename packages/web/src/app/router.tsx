import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Skeleton } from '../components/skeleton'
import { runSearch } from '../pages/run/search'
import { runsSearch } from '../pages/runs/search'
import { Layout } from './layout'
import { BrokenPage, NotFoundPage } from './not-found'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })
const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

// Each page is loaded when it is opened, or when a link to it is about to be.
const pages = [
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('../pages/home/home-page'), 'HomePage'),
  }),
  createRoute({
    ...at('/runs'),
    validateSearch: runsSearch,
    component: lazyRouteComponent(() => import('../pages/runs/runs-page'), 'RunsPage'),
  }),
  createRoute({
    ...at('/runs/$jobId'),
    validateSearch: runSearch,
    component: lazyRouteComponent(() => import('../pages/run/run-page'), 'RunPage'),
  }),
  createRoute({
    ...at('/train'),
    validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
      typeof from === 'string' ? { from } : {},
    component: lazyRouteComponent(() => import('../pages/train/train-page'), 'TrainPage'),
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
