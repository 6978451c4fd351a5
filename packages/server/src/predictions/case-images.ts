import { resolve } from 'node:path'
import type { ErrorCode, ErrorIssue, PredictRequest } from '@medloom/contracts'
import { AppError, hintOfIssue, issueAt, placedMessage } from '../errors.js'
import type { Uploads } from '../files/uploads.js'
import type { TaskParams } from '../ports/task-pool.js'
import type { Actor } from '../security/actor.js'
import type { Roots } from '../security/roots.js'

type Rows = NonNullable<PredictRequest['rows']>
type RefusedRow = TaskParams<'predict'>['refused_rows'][number]

const UPLOAD = 'upload:'

export interface CaseImages {
  readonly columns: readonly string[]
  /** Folder that image paths are relative to. */
  readonly root: string
  readonly actor: Pick<Actor, 'user' | 'role'>
}

/**
 * The rows with absolute paths of their images, and the rows with an image that may not be read: it is removed from them. A missing image is
 * left to the trainer. Both are errors of their case, so that the others are predicted.
 * @throws AppError PATH_NOT_ALLOWED, UPLOAD_NOT_FOUND and others, with all cells as issues, if no row remains.
 */
export async function resolveCaseImages(
  rows: Rows,
  { columns, root, actor }: CaseImages,
  { roots, uploads }: { readonly roots: Roots; readonly uploads: Pick<Uploads, 'fileOf'> },
): Promise<{ rows: Rows; refused_rows: RefusedRow[] }> {
  const issues: ErrorIssue[] = []
  const refused: RefusedRow[] = []
  const resolved: Rows = []
  for (const [index, row] of rows.entries()) {
    const cells: Rows[number] = { ...row }
    for (const column of columns) {
      const cell = row[column]
      if (typeof cell !== 'string' || cell.trim() === '') continue
      const place = `rows.${index}.${column}`
      try {
        cells[column] = cell.startsWith(UPLOAD)
          ? await uploads.fileOf(cell.slice(UPLOAD.length), actor)
          : await existing(resolve(root, cell), place, roots)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const issue = issueAt(place, error)
        issues.push(issue)
        const { message, message_phrases } = issue
        refused.push({ row: index, code: error.code, message, message_phrases, column })
        cells[column] = null
      }
    }
    resolved.push(cells)
  }
  const [first] = issues
  if (first && new Set(refused.map(({ row }) => row)).size === rows.length)
    throw new AppError(first.code as ErrorCode, placedMessage(first), hintOfIssue(first), issues)
  return { rows: resolved, refused_rows: refused }
}

async function existing(path: string, place: string, roots: Roots): Promise<string> {
  try {
    return await roots.resolve(path, place)
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return path
    throw error
  }
}
