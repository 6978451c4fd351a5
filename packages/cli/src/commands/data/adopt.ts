import { counted, type RecipeProposal } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { recipeFile } from '../../config/recipe-file.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'
import { writeNewFile } from '../../workflow-files/write-new-file.js'

interface AdoptOptions {
  readonly label?: string
  readonly patient?: string
  readonly output: string
}

export const addAdopt: AddCommand = (parent) =>
  parent
    .add('adopt')
    .description(
      'find out how tables and images of a folder belong together, and write the recipe that reads them as they are',
    )
    .argument('<path>', 'folder with tables and images, or a table')
    .option('--label <column>', 'label column (default: recognized, or asked for)')
    .option('--patient <column>', 'patient column (default: recognized, or asked for)')
    .option('-o, --output <file>', 'file for the recipe, as the data part of a configuration', 'recipe.yaml')
    .example(
      'medloom data adopt HAM10000',
      'medloom data adopt study --label diagnosis --patient subject -o study.yaml',
    )
    .note(
      'The files are read, never changed. Add the part model to the written file to start a training with it.',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      const proposal = await connect(options).proposeRecipe({
        path: fromCurrentFolder(path),
        ...(options.label ? { label_column: options.label } : {}),
        ...(options.patient ? { patient_column: options.patient } : {}),
      })
      writeNewFile(options.output, recipeFile(proposal))
      print(options, proposal, (found) => page(found, options))
    })

function page(
  { template, rows, columns, reasons, questions }: RecipeProposal,
  { output }: AdoptOptions,
): string {
  const style = styleFor(terminal().stdout)
  return [
    ...(template ? [`layout      ${template.title}`] : []),
    `table       ${counted(rows, 'row')}, ${counted(columns.length, 'column')}`,
    ...reasons.map(({ message }) => `            ${message}`),
    ...questions.map(
      ({ key, message, choices }) =>
        `${choices.length > 0 ? style.yellow('open        ') : 'note        '}${message}${choices.length > 0 ? ` ${choices.join(', ')}` : ''}${OPTIONS[key] ?? ''}`,
    ),
    `recipe      ${output}`,
  ].join('\n')
}

/** How a question is answered in the next call. */
const OPTIONS: Readonly<Record<string, string>> = {
  label: ' (--label)',
  patient: ' (--patient)',
  rows: ' (rows.rule in the recipe)',
}
