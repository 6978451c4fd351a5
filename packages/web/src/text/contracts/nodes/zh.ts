import type { CatalogWords } from './keys'
import { dataNodes } from './zh-data'
import { modelNodes } from './zh-model'
import { resultNodes } from './zh-results'

/** The nodes of the catalog, by their type. */
export const zh: CatalogWords = { ...dataNodes, ...modelNodes, ...resultNodes }
