import { resolve } from 'node:path'
import type { Dataset, Inspection } from '@medloom/contracts'
import type { Command } from 'commander'
import { collect } from '../../collect.js'
import { EXIT, UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { age, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'

export function addDatasets(program: Command): void {
  const datasets = program.command('datasets').description('list, register, show or inspect data sets')

  datasets
    .command('ls', { isDefault: true })
    .description('list the registered data sets')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listDatasets({ page_size: 1000 }), (page) =>
        page.datasets.length === 0
          ? 'There are no data sets yet. Register one: medloom datasets add table.csv'
          : datasetTable(page.datasets),
      )
    })

  describeInput(
    datasets
      .command('add')
      .description(
        'register a CSV; a folder with train.csv, val.csv and test.csv, or with one CSV; or a folder with one sub-folder of images per class',
      ),
  )
    .option('-n, --name <name>', 'name (default: the name of the file or folder)')
    .action(async (path: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const name = options.name ? { name: options.name } : {}
      print(
        options,
        await connect(options).registerDataset({ ...inputFrom(path, options), ...name }),
        datasetPage,
      )
    })

  datasets
    .command('show')
    .description('show one data set')
    .argument('<dataset>', 'data set id or name')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const { datasets: all } = await client.listDatasets({ page_size: 1000 })
      const named = all.filter((dataset) => dataset.dataset_id === word || dataset.name === word)
      if (named.length > 1)
        throw new UsageError(
          `${named.length} data sets are named "${word}".`,
          'Give the id, see "medloom datasets".',
          EXIT.badInput,
        )
      const datasetId = named[0]?.dataset_id ?? word
      print(options, await client.getDataset({ dataset_id: datasetId }), datasetPage)
    })

  describeInput(
    datasets.command('inspect').description('infer column roles and check readiness without registering'),
  ).action(async (path: string, _, command: Command) => {
    const options = command.optsWithGlobals()
    print(options, await connect(options).inspectDataset(inputFrom(path, options)), inspectionPage)
  })
}

function describeInput(command: Command): Command {
  return command
    .argument('<path>', 'CSV file or folder')
    .option('--image-root <folder>', 'folder that image paths are relative to')
    .option('--label <column>', 'label column')
    .option('--patient <column>', 'patient column')
    .option('--ignore <column>', 'a column that LoadDataset does not hand on; repeatable', collect, [])
}

function inputFrom(
  path: string,
  options: { imageRoot?: string; label?: string; patient?: string; ignore?: string[] },
) {
  return {
    path: resolve(path),
    ...(options.imageRoot ? { image_root: resolve(options.imageRoot) } : {}),
    ...(options.label ? { label_column: options.label } : {}),
    ...(options.patient ? { patient_column: options.patient } : {}),
    ...(options.ignore?.length ? { ignore_columns: options.ignore } : {}),
  }
}

function datasetTable(datasets: readonly Dataset[]): string {
  const rows = datasets.map((dataset) => [
    dataset.name,
    dataset.dataset_id,
    dataset.kind,
    String(dataset.num_cases),
    readinessWord(dataset.readiness.status),
    age(dataset.created_at),
  ])
  return formatTable(['name', 'id', 'kind', 'cases', 'readiness', 'created'], rows)
}

function datasetPage(dataset: Dataset): string {
  return `data set    ${dataset.name}  (${dataset.dataset_id})\n${inspectionPage(dataset)}`
}

function inspectionPage(found: Inspection): string {
  const columns = found.columns.map((column) => [
    column.name,
    column.role,
    String(column.missing),
    String(column.distinct),
    column.reason,
  ])
  const counts = (entries: [string, number][]) =>
    entries.map(([name, count]) => `${name} ${count}`).join(', ') || UNKNOWN
  const checks = found.readiness.checks
    .filter((check) => check.status !== 'ready')
    .map(
      (check) =>
        `${readinessWord(check.status)}: ${check.message}${check.hint ? `\n         ${check.hint}` : ''}`,
    )
  return [
    `path        ${found.path}`,
    `kind        ${found.kind}`,
    `cases       ${found.num_cases}${found.num_patients === null ? '' : ` of ${found.num_patients} patients`}`,
    `task        ${found.task ?? UNKNOWN}`,
    `classes     ${found.classes ? counts(found.classes.map(({ name, count }) => [name, count])) : UNKNOWN}`,
    `splits      ${counts(Object.entries(found.splits))}`,
    `readiness   ${readinessWord(found.readiness.status)}`,
    ...checks,
    '',
    formatTable(['column', 'role', 'missing', 'distinct', 'why'], columns),
  ].join('\n')
}

function readinessWord(status: Inspection['readiness']['status']): string {
  const style = styleFor(process.stdout)
  if (status === 'ready') return style.green(status)
  return status === 'blocked' ? style.red(status) : style.yellow(status)
}
