import type { RouteName } from '@medloom/contracts'
import { gathered } from './gathered'
import { changed } from './service'

/** Like `changed`, but a burst of notifications of the same route causes one refetch. */
export const changedSoon = gathered((name: RouteName) => changed(name))
