import { Document, isCollection, isMap, parseDocument } from 'yaml'
import { setValue } from './set-value'

/**
 * The configuration as the user writes it. The text is authoritative, the form reads and edits it, and comments and the order of keys are
 * preserved.
 */
export interface Draft {
  readonly text: string
  /** Reason why the text is invalid YAML; null if it is valid. The form does not update in the meantime. */
  readonly error: { readonly message: string; readonly line: number | null } | null
  /** Value of the text; an empty object while it is invalid. */
  readonly value: Readonly<Record<string, unknown>>
}

export function parseDraft(text: string): Draft {
  const document = parseDocument(text)
  const problem = document.errors[0]
  if (problem) {
    const error = { message: problem.message.split('\n')[0] ?? '', line: problem.linePos?.[0].line ?? null }
    return { text, error, value: {} }
  }
  const value = document.toJS() as unknown
  if (value === null || value === undefined) return { text, error: null, value: {} }
  if (typeof value !== 'object' || Array.isArray(value))
    return { text, error: { message: 'keys and values are expected', line: 1 }, value: {} }
  return { text, error: null, value: value as Record<string, unknown> }
}

/** The draft with another value at `path`; undefined removes the key, and a section that becomes empty with it. */
export function changeDraft(draft: Draft, path: readonly string[], value: unknown): Draft {
  if (draft.error !== null || (value === undefined && valueAt(draft.value, path) === undefined)) return draft
  const document = parseDocument(draft.text)
  if (!isMap(document.contents)) document.contents = new Document({}).contents as never
  if (value === undefined) remove(document, path)
  else setValue(document, path, value)
  return parseDraft(isEmpty(document) ? '' : document.toString())
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, key) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[key] : undefined,
    value,
  )
}

function remove(document: Document, path: readonly string[]): void {
  document.deleteIn(path)
  const section = path.slice(0, -1)
  const parent = document.getIn(section)
  if (section.length > 0 && isCollection(parent) && parent.items.length === 0) remove(document, section)
}

function isEmpty(document: Document): boolean {
  return isMap(document.contents) && document.contents.items.length === 0 && !document.commentBefore
}
