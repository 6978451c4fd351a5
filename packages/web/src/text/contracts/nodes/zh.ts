import type { CatalogWords } from './keys'
import { dataNodes } from './zh-data'
import { modelNodes } from './zh-model'
import { resultNodes } from './zh-results'

/** Nodes of the catalog by type. */
export const zh: CatalogWords = { ...dataNodes, ...modelNodes, ...resultNodes }
