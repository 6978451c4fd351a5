import { counted, type RecipeProposal, ROW_RULES } from '@medloom/contracts'
import { Option } from 'commander'
import { type AddCommand, collect } from '../../command.js'
import { recipeFile } from '../../config/recipe-file.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'
import { refuseExisting, writeNewFile } from '../../workflow-files/write-new-file.js'

interface AdoptOptions {
  readonly label?: string
  readonly patient?: string
  readonly rows?: (typeof ROW_RULES)[number]
  readonly decide?: readonly string[]
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
    .addOption(
      new Option('--rows <rule>', 'label of a case whose rows have different labels').choices(ROW_RULES),
    )
    .option('--decide <question=choice>', 'answer to a question of a published layout; repeatable', collect)
    .option('-o, --output <file>', 'file for the recipe, as the data part of a configuration', 'recipe.yaml')
    .example(
      'medloom data adopt HAM10000',
      'medloom data adopt study --label diagnosis --patient subject -o study.yaml',
      'medloom data adopt CheXpert --decide "data.recipe.label=Positive (U-Ones)"',
    )
    .note(
      'The files are read, never changed. Add the part model to the written file to start a training with it.',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      refuseExisting(options.output)
      const proposal = await connect(options).proposeRecipe({
        path: fromCurrentFolder(path),
        ...(options.label ? { label_column: options.label } : {}),
        ...(options.patient ? { patient_column: options.patient } : {}),
        ...(options.rows ? { rows_rule: options.rows } : {}),
        ...(options.decide?.length ? { decisions: decisionsFrom(options.decide) } : {}),
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
        `${choices.length > 0 ? style.yellow('open        ') : 'note        '}${message}${choices.length > 0 ? ` ${choices.join(', ')}` : ''}${answerOf(key, choices)}`,
    ),
    `recipe      ${output}`,
  ].join('\n')
}

/** How a question is answered in the next call. */
function answerOf(key: string, choices: readonly string[]): string {
  if (key === 'label' || key === 'patient' || key === 'rows') return ` (--${key})`
  return choices.length > 0 ? ` (--decide "${key}=…")` : ''
}

function decisionsFrom(pairs: readonly string[]): Record<string, string> {
  const parts = pairs.map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1)
      throw new UsageError(`"${pair}" is not a question and a choice.`, 'Write --decide "QUESTION=CHOICE".')
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  return Object.fromEntries(parts)
}
