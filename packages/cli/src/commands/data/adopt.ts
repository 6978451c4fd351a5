import { counted, type RecipeProposal, ROW_ANSWERS } from '@medloom/contracts'
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
  /** False: there is no patient column. */
  readonly patient?: string | false
  readonly rows?: (typeof ROW_ANSWERS)[number]
  readonly decide?: readonly string[]
  readonly output: string
  readonly force?: boolean
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
    .option('--no-patient', 'there is no patient column: each row is a different patient')
    .addOption(
      new Option(
        '--rows <rule>',
        'rule for cases with several rows; baseline: the first visit, each: every row is a case',
      ).choices(ROW_ANSWERS),
    )
    .option(
      '--decide <question=choice>',
      'answer to a question with choices, such as that of a published layout; repeatable',
      collect,
    )
    .option('-o, --output <file>', 'configuration file that is written, with the recipe', 'recipe.yaml')
    .option('--force', 'replace the file if it exists')
    .example(
      'medloom data adopt HAM10000',
      'medloom data adopt study --label diagnosis --patient subject -o study.yaml',
      'medloom data adopt CheXpert --decide "data.recipe.label=Positive (U-Ones)"',
    )
    .note(
      'The files are read, never changed. The written file has a network and a training to start with: change them as needed.',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      const overwrite = options.force ?? false
      if (!overwrite)
        refuseExisting(options.output, 'Add --force to replace it, or use another name with -o.')
      const proposal = await connect(options).proposeRecipe({
        path: fromCurrentFolder(path),
        ...(options.label ? { label_column: options.label } : {}),
        ...(options.patient === undefined ? {} : { patient_column: options.patient || null }),
        ...(options.rows ? { rows_rule: options.rows } : {}),
        ...(options.decide?.length ? { decisions: decisionsFrom(options.decide) } : {}),
      })
      writeNewFile(options.output, recipeFile(proposal), { overwrite })
      print(options, proposal, (found) => page(found, path, options))
    })

function page(proposal: RecipeProposal, path: string, options: AdoptOptions): string {
  const { template, rows, columns, reasons, questions } = proposal
  const style = styleFor(terminal().stdout)
  return [
    ...(template ? [`layout      ${template.title}`] : []),
    `table       ${counted(rows, 'row')}, ${counted(columns.length, 'column')}`,
    ...reasons.map(({ message }) => `            ${message}`),
    ...questions.map(
      ({ key, message, choices }) =>
        `${choices.length > 0 ? style.yellow('open        ') : 'note        '}${message}${choices.length > 0 ? ` ${choices.join(', ')}` : ''}${answerOf(key, choices)}`,
    ),
    `recipe      ${options.output}`,
    ...nextSteps(proposal, path, options),
  ].join('\n')
}

/** The command that answers the open questions, or the commands that check and start the training. */
function nextSteps({ recipe }: RecipeProposal, path: string, options: AdoptOptions): string[] {
  const file = inShell(options.output)
  const open = recipe.open ?? []
  if (open.length === 0)
    return [`Next: medloom train -f ${file} --check`, `then: medloom train -f ${file} --watch`]
  const given = (['label', 'patient', 'rows'] as const).flatMap((key) => {
    const answer = options[key]
    if (answer === undefined) return []
    return [answer === false ? `--no-${key}` : `--${key} ${inShell(answer)}`]
  })
  const decided = (options.decide ?? []).map((pair) => `--decide ${inShell(pair)}`)
  const asked = open.map((key) => `--${key} ${key === 'rows' ? 'RULE' : 'COLUMN'}`)
  const answers = [...given, ...decided, ...asked].join(' ')
  return [`Next: medloom data adopt ${inShell(path)} ${answers} -o ${file} --force`]
}

/** An argument as a shell reads it. */
function inShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** How a question is answered in the next call. */
function answerOf(key: string, choices: readonly string[]): string {
  if (key === 'patient') return ' (--patient, or --no-patient)'
  if (key === 'label' || key === 'rows') return ` (--${key})`
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
