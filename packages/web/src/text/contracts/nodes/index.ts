import type { NodeCatalog } from '@medloom/contracts'
import { use, useMemo } from 'react'
import { type Field, pathOf, translateFields } from '../../../forms/schema'
import type { Language } from '../../define'
import { readable, readableNow } from '../../readable'
import { addTranslation } from '../../translations'
import { useLanguage } from '../../use-text'
import type { CatalogWords } from './keys'

/** Texts of the node catalog in the reader's language. The English texts are in the catalog itself. */
export interface NodeText {
  /** The catalog with translated node titles, summaries and port titles. Unknown nodes keep their own texts. */
  catalog(catalog: NodeCatalog): NodeCatalog
  /** The fields of a node with titles and help. */
  fields(type: string, fields: readonly Field[]): readonly Field[]
}

const ENGLISH: NodeText = { catalog: (catalog) => catalog, fields: (_, fields) => fields }
let chinese: Promise<NodeText> | undefined
const english = readableNow(ENGLISH)
addTranslation(nodeTextIn)

/** Suspends while a translation is loading. */
export function useNodeText(): NodeText {
  return use(nodeTextIn(useLanguage()))
}

function nodeTextIn(language: Language): Promise<NodeText> {
  if (language === 'en') return english
  chinese ??= readable(import('./zh').then(({ zh }) => nodeTextOf(zh)))
  return chinese
}

/** The catalog in the language of the reader. */
export function useNodeCatalog(catalog: NodeCatalog): NodeCatalog {
  const text = useNodeText()
  return useMemo(() => text.catalog(catalog), [text, catalog])
}

type Words = Readonly<Record<string, string>>
interface AnyNodeWords {
  readonly title: string
  readonly summary: string
  readonly inputs: Words
  readonly outputs: Words
  readonly config: Readonly<Record<string, readonly [title: string, help: string]>>
}

export function nodeTextOf(words: CatalogWords): NodeText {
  const wordsOf = (type: string): AnyNodeWords | undefined =>
    Object.hasOwn(words, type) ? (words as Readonly<Record<string, AnyNodeWords>>)[type] : undefined
  return {
    catalog: (catalog) => ({
      ...catalog,
      nodes: catalog.nodes.map((node) => {
        const own = wordsOf(node.type)
        if (!own) return node
        return {
          ...node,
          title: own.title,
          summary: own.summary,
          inputs: titled(node.inputs, own.inputs),
          outputs: titled(node.outputs, own.outputs),
        }
      }),
    }),
    fields: (type, fields) => {
      const config = wordsOf(type)?.config ?? {}
      return translateFields(fields, (field) => {
        const path = pathOf(field)
        const [title, help] = Object.hasOwn(config, path) ? (config[path] ?? []) : []
        return { title, help }
      })
    },
  }
}

function titled<P extends { readonly name: string; readonly title: string }>(
  ports: readonly P[],
  words: Words,
): P[] {
  return ports.map((port) => ({
    ...port,
    title: Object.hasOwn(words, port.name) ? (words[port.name] ?? port.title) : port.title,
  }))
}
