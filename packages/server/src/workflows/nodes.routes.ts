import { describeCatalog, NODES } from '@medloom/contracts'
import type { Handlers } from '../http/bind.js'

/** The node catalog, which never changes while the service runs. */
export function nodesRoutes(): Pick<Handlers, 'listNodes'> {
  const catalog = describeCatalog(NODES)
  return { listNodes: () => catalog }
}
