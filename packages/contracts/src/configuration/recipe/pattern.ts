import { type Phrase, phrase } from '../../phrases/index.js'

/**
 * The pattern language of recipes. `{name}` is a placeholder: a text within one segment of a path, without `/`; `{_}` is dropped;
 * everything else is literal. One language parses columns from a path and builds a path from columns.
 */
const PLACEHOLDER = /\{([^{}/]+)\}/g
/** A placeholder whose text is dropped. */
const DROPPED = '_'

/** Names of the placeholders, each once, in order, without `_`. */
export function placeholdersOf(pattern: string): string[] {
  const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  return [...new Set(names)].filter((name) => name !== DROPPED)
}

/** The reason why a text is not a pattern; null for a pattern. */
export function patternProblem(pattern: string): Phrase | null {
  if (/[{}]/.test(pattern.replaceAll(PLACEHOLDER, '')))
    return phrase('stray_brace', { placeholder: '{name}' })
  if (/\}\{/.test(pattern)) return phrase('adjacent_placeholders')
  return null
}

/** The reason why a text is not a path or pattern below the source; null for one. */
export function relativePathProblem(path: string): Phrase | null {
  if (path.includes('\0')) return phrase('nul_in_path')
  if (path.startsWith('/') || path.includes('\\')) return phrase('path_not_relative')
  const segments = path.split('/')
  return segments.includes('..') || segments.includes('.') || segments.slice(0, -1).includes('')
    ? phrase('path_leaves_source')
    : null
}
