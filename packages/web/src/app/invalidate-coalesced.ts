import type { RouteName } from '@medloom/contracts'
import { coalesce } from './coalesce'
import { invalidate } from './service'

/** Like `invalidate`, but a burst of notifications of the same route causes one refetch. */
export const invalidateCoalesced = coalesce((name: RouteName) => invalidate(name))
