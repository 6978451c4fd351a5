import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { counted, type RouteResponse } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

type Preview = RouteResponse<'previewNode'>

/** Limits for terminal output: characters per cell, and number of columns. */
const CELL_CHARACTERS = 24
const COLUMNS = 12

export const addPreview: AddCommand = (parent) =>
  parent
    .add('preview')
    .description('show the first rows of the output of a node, with preprocessing applied')
    .argument('<workflow>', 'file, id or name')
    .argument('<node>', 'node that has run')
    .option('--port <port>', 'output of the node (default: the first one with a table)')
    .option('--rows <count>', 'rows to show, at most 200', wholeNumber, 20)
    .option('--identifiers', 'show values that may identify patients')
    .option('--page-token <token>', 'token of the next page')
    .option('--run <id>', 'the result of this run (default: the latest result)')
    .option('--images <folder>', 'write the images as a model reads them to this folder')
    .example(
      'medloom workflow preview first.json table',
      'medloom workflow preview first.json images --images seen',
    )
    .action(async (word: string, node: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const preview = await client.previewNode({
        workflow_id: await findWorkflow(client, word),
        node,
        ...(options.port ? { port: options.port } : {}),
        ...(options.run ? { run_id: options.run } : {}),
        ...(options.pageToken ? { page_token: options.pageToken } : {}),
        ...(options.identifiers ? { identifiers: 'true' } : {}),
        rows: options.rows,
        ...(options.images || options.json ? {} : { images: 0 }),
      })
      const written = options.images ? writeImages(preview, fromCurrentFolder(options.images)) : 0
      print(options, preview, () => page(preview, written))
    })

function page(
  { columns, rows, num_rows, num_columns, notes, next_page_token }: Preview,
  written: number,
): string {
  const style = styleFor(terminal().stdout)
  const shown = columns.slice(0, COLUMNS)
  const cells = rows.map((row) => row.slice(0, COLUMNS).map(shorten))
  const headings = shown.map(({ name, of }) => shorten(of === null ? name : `${name}*`))
  const processed = shown.some(({ of }) => of !== null) ? '; * is processed' : ''
  return [
    ...(cells.length > 0 ? [formatTable(headings, cells)] : []),
    style.dim(
      `${rows.length} of ${counted(num_rows, 'row')}, ${shown.length} of ${counted(num_columns, 'column')}${processed}`,
    ),
    ...(next_page_token === null ? [] : [style.dim(`more rows: --page-token ${next_page_token}`)]),
    ...(written > 0 ? [`${counted(written, 'image')} written`] : []),
    ...notes.map(({ message }) => `${style.yellow('note')} ${message}`),
  ].join('\n')
}

function shorten(text: string): string {
  const signs = [...text]
  return signs.length > CELL_CHARACTERS ? `${signs.slice(0, CELL_CHARACTERS - 1).join('')}…` : text
}

/** File names contain row and view, never values of a patient from the table. */
function writeImages({ images }: Preview, folder: string): number {
  mkdirSync(folder, { recursive: true })
  const files = images.flatMap(({ row, png, augmented_png }, index) => {
    const name = `row-${row + 1}-image-${images.slice(0, index + 1).filter((other) => other.row === row).length}`
    return [
      { name: `${name}.png`, content: png },
      ...(augmented_png === null ? [] : [{ name: `${name}-augmented.png`, content: augmented_png }]),
    ]
  })
  for (const { name, content } of files) writeFileSync(join(folder, name), Buffer.from(content, 'base64'))
  return files.length
}
