import type { RouteName } from '@medloom/contracts'
import { gathered } from './gathered'
import { changed } from './service'

/** As `changed`, once for all that is told within a moment. */
export const changedSoon = gathered((name: RouteName) => changed(name))
