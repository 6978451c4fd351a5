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
export function patternProblem(pattern: string): string | null {
  if (/[{}]/.test(pattern.replaceAll(PLACEHOLDER, '')))
    return 'a brace does not belong to a placeholder such as {name}'
  if (/\}\{/.test(pattern)) return 'two placeholders need a text between them'
  return null
}

/** The reason why a text is not a path or pattern below the source; null for one. */
export function relativePathProblem(path: string): string | null {
  if (path.includes('\0')) return 'a path does not contain a NUL character'
  if (path.startsWith('/') || path.includes('\\'))
    return 'the path is relative to the source, with / between folders'
  const segments = path.split('/')
  return segments.includes('..') || segments.includes('.') || segments.slice(0, -1).includes('')
    ? 'the path stays inside the source: without . and .., and without empty segments'
    : null
}
