import { existsSync, statSync } from 'node:fs'
import type { CallInput, MedloomClient } from '@medloom/client/node'
import { PREDICT_AT_ONCE } from '@medloom/contracts'
import { UsageError } from '../../exit-codes.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'

type Source = Pick<CallInput<'predictCases'>, 'rows' | 'path'>
type Row = Record<string, string>

const TABLE = /\.(csv|tsv|txt|gz|xlsx|xlsm|json|jsonl|parquet|z?sav|dta|sas7bdat|xpt|npz)$/i
/** Ends in .gz, but is an image. */
const VOLUME = /\.nii\.gz$/i

/**
 * The cases that a command line names: cells of rows, a table or folder, or images.
 * @throws UsageError
 */
export async function readSource(
  files: readonly string[],
  cells: readonly string[],
  inputs: () => Promise<ModelInputs>,
): Promise<Source> {
  const rows = rowsOf(cells)
  const [file] = files
  if (file === undefined) {
    if (rows.length > 0) return { rows: await withLocalImages(rows, inputs) }
    throw new UsageError(
      'There are no cases.',
      'Name a table, a folder or images, or give a case with --row column=value.',
    )
  }
  const isSource = (TABLE.test(file) && !VOLUME.test(file)) || isFolder(file)
  if (!isSource) return { rows: withImages(files, rows, await inputs()) }
  if (files.length === 1 && rows.length === 0) return { path: fromCurrentFolder(file) }
  throw new UsageError(
    'A table or folder contains all cases of a command.',
    'Name a single table or folder, without --row.',
  )
}

/** Columns that a model reads. */
export interface ModelInputs {
  readonly images: readonly string[]
  readonly table: readonly string[]
}

export async function inputsOf(client: MedloomClient, model_id: string): Promise<ModelInputs> {
  const { job_id } = await client.getModel({ model_id })
  const { prepared } = await client.getJobStatus({ job_id })
  return {
    images: prepared?.image_columns ?? [],
    table: [...(prepared?.numeric_columns ?? []), ...(prepared?.categorical_columns ?? [])],
  }
}

/** Cells `column=value`: a column that the current case already has starts the next case. */
export function rowsOf(cells: readonly string[]): Row[] {
  const rows: Row[] = []
  for (const cell of cells) {
    const equals = cell.indexOf('=')
    if (equals < 1)
      throw new UsageError(`--row ${cell} has no value.`, 'Write it as column=value, such as --row age=54.')
    const column = cell.slice(0, equals)
    const current = rows.at(-1)
    const row = current && !(column in current) ? current : {}
    if (row !== current) rows.push(row)
    row[column] = cell.slice(equals + 1)
  }
  return rows
}

/** Each image is a case. If the model also reads a table, the cells of --row belong to the images in their order. */
export function withImages(
  files: readonly string[],
  rows: readonly Row[],
  { images, table }: ModelInputs,
): Row[] {
  const [column] = images
  if (column === undefined)
    throw new UsageError(
      'The model reads no images.',
      'Name a table, or give a case with --row column=value.',
    )
  if (images.length > 1)
    throw new UsageError(
      `The model reads ${images.length} images of each case: ${images.join(', ')}.`,
      `Name each with --row, such as --row ${column}=${files[0]}, or use a table.`,
    )
  if (table.length > 0 && rows.length !== files.length)
    throw new UsageError(
      `The model also reads the columns ${table.join(', ')}.`,
      `Give them for each image with --row, such as --row ${table[0]}=VALUE, or use a table.`,
    )
  if (files.length > PREDICT_AT_ONCE)
    throw new UsageError(
      `A command predicts at most ${PREDICT_AT_ONCE} images.`,
      'Name a table or a folder with the images.',
    )
  return files.map((file, index) => ({ ...rows[index], [column]: fromCurrentFolder(file) }))
}

/** Paths of images in the current folder become absolute; others are relative to the folder of the training's images. */
async function withLocalImages(rows: readonly Row[], inputs: () => Promise<ModelInputs>): Promise<Row[]> {
  const isHere = (cell: string) => cell !== '' && existsSync(fromCurrentFolder(cell))
  if (!rows.some((row) => Object.values(row).some(isHere))) return [...rows]
  const { images } = await inputs()
  const placed = ([column, cell]: [string, string]) =>
    images.includes(column) && isHere(cell) ? fromCurrentFolder(cell) : cell
  return rows.map((row) => Object.fromEntries(Object.entries(row).map((entry) => [entry[0], placed(entry)])))
}

function isFolder(path: string): boolean {
  return statSync(fromCurrentFolder(path), { throwIfNoEntry: false })?.isDirectory() ?? false
}
