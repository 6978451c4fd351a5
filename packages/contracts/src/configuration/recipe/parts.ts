import { z } from 'zod'
import { type Phrase, phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { patternProblem, relativePathProblem } from './pattern.js'

const refuse =
  (problem: (text: string) => Phrase | null, hint: Phrase) => (text: string, context: z.RefinementCtx) => {
    const message = problem(text)
    if (message) context.addIssue({ code: 'custom', ...refusal(message, hint) })
  }

export const column = z.string().min(1).max(1000)
export const columns = z.array(column).min(1).max(1000)
const text = z.string().max(1000)
/** A text of a cell as a key; empty: an empty cell. */
export const cellKey = text
/** A text of a cell. A whole number is read as its text, because YAML makes numbers of `-9`. */
export const cell = z.union([text, z.int()]).transform(String).pipe(text)
export const filledCell = z
  .union([text.min(1), z.int()])
  .transform(String)
  .pipe(text.min(1))
export const tableName = z.string().min(1).max(200)
/** A path below the source, with placeholders that parse columns from it. */
export const pathPattern = z
  .string()
  .min(1)
  .max(4096)
  .superRefine(refuse(patternProblem, phrase('write_placeholders', { column: '{name}', any: '{_}' })))
  .superRefine(refuse(relativePathProblem, phrase('write_path')))
/** A folder below the source, or the folder of the source itself. */
export const folderPattern = z.union([z.literal('.'), pathPattern])
/** A pattern for the text of a cell, which may be any path. */
export const cellPattern = z
  .string()
  .min(1)
  .max(4096)
  .superRefine(refuse(patternProblem, phrase('write_placeholders', { column: '{name}', any: '{_}' })))
