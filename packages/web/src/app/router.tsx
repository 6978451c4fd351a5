import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Skeleton } from '../components/skeleton'
import { Layout } from './layout'
import { BrokenPage, NotFoundPage } from './not-found'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home-page'), 'HomePage'),
})

export const router = createRouter({
  routeTree: root.addChildren([home]),
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
