import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Comparison,
  counted,
  isOfTask,
  type ModelDifference,
  type ModelPair,
  PRIMARY_METRIC,
} from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'

export const addCompare: AddCommand = (parent, _context, name = 'compare') =>
  parent
    .add(name)
    .description('evaluate models on the same cases, compare them in pairs and write a report')
    .argument('<model...>', 'two or more model ids, or checkpoint folders of models')
    .option('--csv, --test-csv <file>', "the table (default: the test_csv of the first model's job)")
    .option(
      '--split <name>',
      'compare on the rows with this value in the split column, or on all rows if there is no such column',
      'test',
    )
    .option('--image-root <folder>', "folder of the images (default: that of each model's training)")
    .example(
      'medloom models compare resnet18_gated_001 resnet18_gated_002',
      'medloom models compare resnet18_gated_001 none_concatenate_001 --test-csv external.csv --json',
    )
    .action(async (models: string[], _, command) => {
      const options = command.optsWithGlobals()
      const comparison = await connect(options).compareModels({
        models: models.map(nameOrFolder),
        split: options.split,
        ...(options.testCsv ? { test_csv: fromCurrentFolder(options.testCsv) } : {}),
        ...(options.imageRoot ? { image_root: fromCurrentFolder(options.imageRoot) } : {}),
      })
      print(options, comparison, comparisonPage)
    })

/** A folder is sent as an absolute path, since the service has another working directory. */
export function nameOrFolder(name: string): string {
  return /[\\/]/.test(name) || existsSync(join(fromCurrentFolder(name), 'checkpoint.json'))
    ? fromCurrentFolder(name)
    : name
}

/** Text output of a comparison. */
export function comparisonPage(comparison: Comparison): string {
  return [...comparisonLines(comparison), `report: ${comparison.report_path}`].join('\n')
}

/** Fields that a comparison and its record share. */
type Printed = Pick<
  Comparison,
  'comparison_id' | 'split' | 'task' | 'num_cases' | 'num_patients' | 'pairs' | 'warnings'
> & {
  readonly models: readonly Pick<
    Comparison['models'][number],
    'name' | 'metrics' | 'warnings' | 'test_evaluations'
  >[]
}

/** Lines of a comparison, without the path of its report. */
export function comparisonLines(comparison: Printed): string[] {
  const { models, pairs, num_cases, num_patients, split } = comparison
  const patients = num_patients === null ? '' : ` of ${counted(num_patients, 'patient')}`
  return [
    `comparison ${comparison.comparison_id}`,
    `${models.map(({ name }) => name).join(', ')} on ${counted(num_cases, 'case')}${patients}, split "${split}"`,
    ...pairs.flatMap((pair) => ['', ...pairLines(pair, comparison)]),
    '',
    ...comparison.warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
    ...models.flatMap(({ name, warnings }) =>
      warnings.map(({ code, message }) => `warning: ${name}: ${message} [${code}]`),
    ),
    ...models
      .filter(({ test_evaluations }) => test_evaluations > 1)
      .map(
        ({ name, test_evaluations }) =>
          `${name} was evaluated on this split ${counted(test_evaluations, 'time')}.`,
      ),
  ]
}

function pairLines(
  pair: ModelPair,
  { models, pairs, task }: Pick<Printed, 'models' | 'pairs' | 'task'>,
): string[] {
  const { first, second, differences, agreement } = pair
  const several = pairs.length > 1
  const metricsOf = (name: string) => models.find((model) => model.name === name)?.metrics ?? {}
  const shown = Object.entries(differences).filter(([metric]) => isOfTask(task, metric))
  const rows = shown.map(([metric, difference]) => [
    metric,
    number(metricsOf(first)[metric] ?? null),
    number(metricsOf(second)[metric] ?? null),
    ...differenceCells(difference, metric === PRIMARY_METRIC[task], several),
  ])
  const adjusted = several ? ['p (Holm)'] : []
  return [
    formatTable(['metric', first, second, 'difference', '95% CI', 'p', ...adjusted, 'method'], rows),
    ...(agreement
      ? [
          `correct: both ${agreement.both_right}, only ${first} ${agreement.only_first}, only ${second} ${agreement.only_second}, neither ${agreement.both_wrong}`,
        ]
      : []),
  ]
}

/** Only the primary metric has a p value: among many secondary metrics, some have a small one by chance. */
function differenceCells(
  { estimate, low, high, p, p_holm, method, test, reason }: ModelDifference,
  primary: boolean,
  several: boolean,
): string[] {
  const tested = several ? [p, p_holm] : [p]
  return [
    number(estimate),
    low === null || high === null ? UNKNOWN : `${number(low)} to ${number(high)}`,
    ...tested.map((one) => (primary ? chance(one) : UNKNOWN)),
    reason ?? (primary ? test : method),
  ]
}

export function chance(p: number | null): string {
  return p !== null && p < 0.001 ? '<0.001' : number(p)
}
