import type { RouteName } from '@medloom/contracts'
import { coalesce } from './coalesce'
import { changed } from './service'

/** Like `changed`, but a burst of notifications of the same route causes one refetch. */
export const changedSoon = coalesce((name: RouteName) => changed(name))
