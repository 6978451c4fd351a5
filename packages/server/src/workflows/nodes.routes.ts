import { describeCatalog, type NodeCatalog } from '@medloom/contracts'
import type { Handlers } from '../http/bind.js'
import type { CustomNodes, KnownNodes } from './custom/custom-nodes.js'

export type NodeRoutes = Pick<Handlers, 'listNodes'>

/** The node catalog, described once until a custom node changes. */
export function nodesRoutes(custom: Pick<CustomNodes, 'known' | 'folder'>): NodeRoutes {
  const described = new WeakMap<KnownNodes, NodeCatalog>()
  return {
    listNodes: async () => {
      const known = await custom.known()
      const { folder } = custom
      const catalog =
        described.get(known) ??
        describeCatalog(known.catalog, folder === null ? null : { folder, problems: [...known.problems] })
      described.set(known, catalog)
      return catalog
    },
  }
}
