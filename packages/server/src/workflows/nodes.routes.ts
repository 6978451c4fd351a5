import { describeCatalog, NODES } from '@medloom/contracts'
import type { Handlers } from '../http/bind.js'

/** The node catalog, which never changes while the service runs. */
export type NodeRoutes = Pick<Handlers, 'listNodes'>

export function nodesRoutes(): NodeRoutes {
  const catalog = describeCatalog(NODES)
  return { listNodes: () => catalog }
}
